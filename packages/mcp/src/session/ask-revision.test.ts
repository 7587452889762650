import type { JsonObject } from '@toolwright/machine/base/json.js';
import { describe, expect, it } from 'vitest';
import { never } from '../fixtures/mcp-bench.js';
import { askRevision, readDiscovered } from './ask-revision.js';
import { ServerAnswerError } from './describe-error.js';
import type { NewerWire } from './newer-wire.js';

const newer = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };

/** A wire whose server gives these answers, one after the other. */
function wireWith(...answers: (JsonObject | Error)[]): NewerWire & { asked: number } {
  const wire = {
    asked: 0,
    async request() {
      const answer = answers[wire.asked++] ?? new Error('asked too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    release: () => undefined,
  };
  return wire;
}

const refusal = (code: number, data?: unknown) => new ServerAnswerError(code, 'no', data);
const status = (number: number, text = '') =>
  Object.assign(new Error(`status ${number}`), { status: number, data: { text } });

describe('a server that is asked for its revisions', () => {
  it.each<[string, JsonObject | Error, string]>([
    ['describes itself', newer, 'newer'],
    [
      'describes itself and speaks older ones, too',
      { supportedVersions: ['2025-11-25', '2026-07-28'] },
      'newer',
    ],
    ['speaks older ones only', { supportedVersions: ['2025-11-25'] }, 'older'],
    ['answers with something else', { ok: true }, 'older'],
    ['does not know the question', refusal(-32_601), 'older'],
    ['wants a session first', refusal(-32_000), 'older'],
    ['supports older ones', refusal(-32_022, { supported: ['2025-06-18'] }), 'older'],
    ['supports it does not say what', refusal(-32_022), 'older'],
    ['refuses the request', status(400), 'older'],
    ['has no such address', status(404), 'older'],
    ['fails', status(500), 'older'],
    ['breaks off', new Error('socket hang up'), 'older'],
  ])('%s', async (_what, answer, era) => {
    expect(await askRevision(wireWith(answer), never)).toMatchObject({ era });
  });

  it.each([-32_020, -32_021])('objects with %i and is believed to know the newer one', async (code) => {
    const objection = refusal(code);
    expect(await askRevision(wireWith(objection), never)).toEqual({ era: 'older', objection });
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'no' } });
    expect(await askRevision(wireWith(status(400, body)), never)).toMatchObject({
      objection: expect.any(Error),
    });
  });

  it('is asked once more when it names the revision that it refused, and only once', async () => {
    const refused = refusal(-32_022, { supported: ['2026-07-28'] });
    const wire = wireWith(refused, newer);
    expect(await askRevision(wire, never)).toMatchObject({ era: 'newer' });
    const stubborn = wireWith(refused, refused, newer);
    await expect(askRevision(stubborn, never)).rejects.toThrow(
      'other revisions of the protocol only: 2026-07-28',
    );
    expect([wire.asked, stubborn.asked]).toEqual([2, 2]);
  });

  it.each([401, 403])('wants a sign-in with %i, which is no question of revisions', async (number) => {
    await expect(askRevision(wireWith(status(number)), never)).rejects.toThrow(`status ${number}`);
  });

  it('speaks revisions of the future only', async () => {
    const wire = wireWith({ supportedVersions: ['2031-01-01\u001b[31m'] });
    await expect(askRevision(wire, never)).rejects.toThrow(
      'it speaks other revisions of the protocol only: 2031-01-01',
    );
  });

  it('describes itself in ways that can not be used', () => {
    const odd = {
      ...newer,
      capabilities: 'all',
      instructions: 7,
      serverInfo: { name: 'a\nb\u200b', version: 3 },
    };
    expect(readDiscovered(odd)).toEqual({
      era: 'newer',
      discovered: { capabilities: {}, name: 'a b', version: '', instructions: '' },
    });
  });
});
