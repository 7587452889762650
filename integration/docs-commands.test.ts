import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, patternOf, readDocument } from './documents/blocks.js';
import { makeRepository, runLines } from './documents/shell.js';
import { createMachine } from './program.js';

const documents = [
  'headless.md',
  'permissions.md',
  'sessions.md',
  'troubleshooting.md',
  'mcp.md',
  'race.md',
  'skills.md',
  'custom-commands.md',
  'hooks.md',
  'subagents.md',
  'extensions.md',
  'switching.md',
  'fleet.md',
];
const tried: string[] = [];

/** The reader's files before the example: a small repository. */
const files = {
  'src/app.ts': 'const app = 1; // TODO: name it\n',
  'notes.txt': 'alpha\n',
};

const hasJq = spawnSync('which', ['jq']).status === 0;
const hasSandbox = spawnSync('which', ['bwrap']).status === 0;

/** Made once and copied for each example. */
const repository = createMachine(files);
beforeAll(() => makeRepository(repository));
afterAll(() => repository.cleanup());

async function tryBlock({ text, prints }: Block): Promise<void> {
  const server = await startFakeModelServer({ otherwise: { text: 'An answer of a model.' } });
  const machine = createMachine();
  try {
    cpSync(repository.workspace, machine.workspace, { recursive: true, preserveTimestamps: true });
    const { code, output } = await runLines(machine, text, server.environment('openai'));
    expect(code, output).toBe(0);
    if (prints !== undefined) expect(output.trimEnd()).toMatch(patternOf(prints));
    for (const command of text.matchAll(/^\s*[^#\n]*\btoolwright\b/gm)) tried.push(command[0]);
  } finally {
    await server.close();
    machine.cleanup();
  }
}

describe.each(documents)('the commands of docs/%s', (name) => {
  const blocks = blocksOf(readDocument(name)).filter(({ language }) => language === 'sh');

  it.for(blocks)('do what is said there: $title', async (block, { skip }) => {
    if (!hasJq && /\bjq\b/.test(block.text)) skip('jq is not installed');
    if (!hasSandbox && /^staged:|confined: reads|\(1 file changed/m.test(block.prints ?? ''))
      skip('bubblewrap is not installed');
    await tryBlock(block);
  });

  it('are there, and every shell block is among them', () => {
    expect(blocks.length).toBeGreaterThan(0);
    const shown = blocks.filter(({ prints }) => prints !== undefined).length;
    console.log(
      `evidence: docs/${name}: ${blocks.length} shell blocks run, ${shown} with the output as printed there; toolwright called ${tried.length} times so far`,
    );
  });
});
