import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createFakeClock, createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelsIn } from './list-models.js';
import { costOf, openModelTable } from './model-table.js';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'toolwright-models-'));
});
afterEach(() => rmSync(path, { recursive: true }));

const open = () =>
  openModelTable(openState({ path, host: { clock: createFakeClock(), ids: createFixedIds() } }));
const write = (models: unknown): void =>
  writeFileSync(join(path, 'models.json'), JSON.stringify({ v: 1, models }));

describe('the table of models', () => {
  it('knows published prices with their month, and nothing of a model nobody has named', async () => {
    const table = await open();
    const asOf = 'December 2025';
    expect(table('claude-sonnet-4-5').prices).toEqual({ input: 3, output: 15, cached: 0.3, asOf });
    expect(table('gpt-5.1-mini').prices?.input).toBe(0.25);
    expect(table('my-own-model')).toEqual({});
  });

  it('is updated by a file: exact names or patterns, prices and windows', async () => {
    write({ 'my-*': { contextWindow: 32_000, input: 1, output: 2 }, 'gpt-5.1': { input: 9, output: 9 } });
    const table = await open();
    expect(table('my-own-model')).toEqual({
      contextWindow: 32_000,
      prices: { input: 1, output: 2, cached: undefined },
    });
    expect(table('gpt-5.1').prices).toEqual({ input: 9, output: 9, cached: undefined });
  });

  it('keeps the published prices of a model of which the file only names the window', async () => {
    write({ 'gpt-5.1-mini': { contextWindow: 32_000 } });
    const facts = (await open())('gpt-5.1-mini');
    expect([facts.contextWindow, facts.prices?.input]).toEqual([32_000, 0.25]);
  });

  it.each([
    [
      { a: { price: 1 } },
      /models\.json: a\.price is not known; there are contextWindow, input, output, cached\./,
    ],
    [{ a: { input: '1' } }, /a\.input must be a number from 0/],
    [[1], /models must be an object/],
  ])('says what is wrong with the file %j', async (models, message) => {
    write(models);
    await expect(open()).rejects.toThrow(message);
  });

  it('makes dollars of tokens, cheaper for those that were cached', () => {
    const prices = { input: 3, output: 15, cached: 0.3 };
    expect(
      costOf({ inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 500_000 }, prices),
    ).toBeCloseTo(3.15);
  });
});

it('a list of models gives windows and prices where the host tells them', () => {
  const openRouter = {
    id: 'a/b',
    name: 'B',
    context_length: 1000,
    pricing: { prompt: '0.000001', completion: '0.000002' },
  };
  expect(modelsIn({ data: [openRouter] })).toEqual([
    { name: 'a/b', contextWindow: 1000, prices: { input: 1, output: 2 } },
  ]);
  const gemini = [
    {
      name: 'models/gemini-x',
      displayName: 'Gemini X',
      inputTokenLimit: 5,
      supportedGenerationMethods: ['generateContent'],
    },
    { name: 'models/other', supportedGenerationMethods: ['embedContent'] },
  ];
  expect(modelsIn({ models: gemini })).toEqual([{ name: 'gemini-x', label: 'Gemini X', contextWindow: 5 }]);
  expect(modelsIn('<html>')).toEqual([]);
});
