import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState } from '@toolwright/machine/host/state/state.js';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { parseServer } from '../contract/server-config.js';
import { createMcpBench, never, serverFile } from '../fixtures/mcp-bench.js';
import { openCatalogue } from './catalogue.js';

const bench = createMcpBench();
afterAll(() => bench.close());

let base: string;
let asked: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-revision-')));
  asked = join(base, 'asked');
  return () => rmSync(base, { recursive: true, force: true });
});

/** Runs the program once: the server is started and lists its tools. Gives the requests it received. */
async function run(behaviour: string, { later = 0, version = '1' } = {}): Promise<string[]> {
  const { clock, ids } = bench.needs;
  const state = openState({ path: join(base, 'state'), host: { clock, ids } });
  const env = { ASKED: asked, VERSION: version };
  const args = [serverFile('newer'), behaviour];
  const before = questions().length;
  const catalogue = await openCatalogue({
    servers: [{ config: parseServer('newer', { command: process.execPath, args, env }, 'test'), place: '' }],
    state,
    needs: { ...bench.needs, clock: { ...clock, now: () => clock.now() + later } },
    path: process.env['PATH'] ?? '',
    roots: () => [],
    onTools: async () => undefined,
    say: () => undefined,
  });
  await catalogue.find('newer')!.refresh(never);
  await catalogue.close();
  return questions().slice(before);
}

function questions(): string[] {
  try {
    return readFileSync(asked, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const WEEK_AND_MORE = 8 * 24 * 3_600_000;

it.each(['dies', 'silent'])(
  'a server that reacts like this to the question for its revisions is asked once, and not by later runs: %s',
  async (behaviour) => {
    expect(await run(behaviour)).toEqual(['server/discover', 'initialize']);
    expect(await run(behaviour)).toEqual(['initialize']);
    expect(await run(behaviour)).toEqual(['initialize']);
  },
);

it('a server that is spared the question is asked again after a week', async () => {
  await run('dies');
  expect(await run('dies', { later: WEEK_AND_MORE })).toEqual(['server/discover', 'initialize']);
});

it('a server that is spared the question is asked again once another version of it was met', async () => {
  await run('dies');
  expect(await run('dies', { version: '2' })).toEqual(['initialize']);
  expect(await run('dies', { version: '2' })).toEqual(['server/discover', 'initialize']);
});

it('a server that takes the question is asked with every start', async () => {
  expect(await run('both')).toEqual(['server/discover']);
  expect(await run('both')).toEqual(['server/discover']);
});
