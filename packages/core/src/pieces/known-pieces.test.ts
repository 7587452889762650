import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { readTree } from '@toolwright/machine/host/trees/read-tree.js';
import { digestOfTree } from '@toolwright/machine/host/trees/tree-digest.js';
import { beforeEach, expect, it } from 'vitest';
import type { FoundAgents } from './agents/agent-piece.js';
import { knownAgents, wholeAgent } from './agents/known-agents.js';
import { type ExtensionDigests, openDigests } from './extension-digests.js';
import type { HookFile } from './hooks/hook.js';
import { hookAsWritten, knownHooks } from './hooks/known-hooks.js';
import type { ReadHooks } from './hooks/read-hooks.js';
import { type KnownPieces, openKnownPieces } from './known-pieces.js';

const { signal } = new AbortController();
const later = { now: () => Date.now() + 60_000 };
let base: string;
let roots: string[];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

/** Twelve extensions with a hook and an agent each. */
beforeEach(() => {
  base = tempFolder();
  roots = Array.from({ length: 12 }, (_, index) => join(base, `extensions/port-${index}/1`));
  for (const index of roots.keys()) {
    write(`extensions/port-${index}/1/hooks.json`, hooksFile(`echo ${index}`));
    write(
      `extensions/port-${index}/1/agents/pilot-${index}.md`,
      `---\ndescription: Steers ${index}.\n---\nSteer.\n`,
    );
  }
});

function hooksFile(command: string): string {
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher: '', hooks: [{ type: 'command', command }] }] } });
}

async function digests(): Promise<ExtensionDigests> {
  const each = roots.map(
    async (root) => [root, await digestOfTree((await readTree(root, signal)).files)] as const,
  );
  return openDigests(Object.fromEntries(await Promise.all(each)));
}

/** What another start of the program knows. */
function nextStart(clock = later, program?: string): KnownPieces {
  const state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
  return openKnownPieces({ state, clock, program });
}

function hooksAt(known: KnownPieces): Promise<ReadHooks> {
  const files = roots.map(
    (root): HookFile => ({
      path: join(root, 'hooks.json'),
      shown: root,
      format: 'claude',
      isOwn: false,
      root,
    }),
  );
  return knownHooks(files, known);
}

async function agentsAt(known: KnownPieces): Promise<FoundAgents> {
  const folders = roots.map((root) => ({ path: join(root, 'agents'), shown: 'an extension' }));
  return knownAgents(folders, { known, digests: await digests() });
}

const record = (): string => readFileSync(join(base, 'state/known-pieces.json'), 'utf8');
const commands = ({ hooks }: ReadHooks): string[] => hooks.map(({ command }) => command);

it('the hooks and agents of many extensions are taken from the start before, until one of their files is another one', async () => {
  await openStateAt();
  const hooks = await hooksAt(nextStart());
  const agents = await agentsAt(nextStart());
  expect(hooks.hooks).toHaveLength(12);
  expect(agents.agents.map(({ name }) => name)).toContain('pilot-11');
  expect(await hooksAt(nextStart())).toEqual(JSON.parse(JSON.stringify(hooks)));
  expect(await agentsAt(nextStart())).toEqual(JSON.parse(JSON.stringify(agents)));
  write('state/known-pieces.json', record().replaceAll('echo 3', 'echo remembered'));
  expect(commands(await hooksAt(nextStart()))).toContain('echo remembered');
  write('extensions/port-3/1/hooks.json', hooksFile('echo another'));
  expect(commands(await hooksAt(nextStart()))).toContain('echo another');
  write('extensions/port-4/1/agents/boatman.md', '---\ndescription: Rows.\n---\nRow.\n');
  expect((await agentsAt(nextStart())).agents.map(({ name }) => name)).toContain('boatman');
});

it('a remembered hook that its accepted file does not name is not run', async () => {
  await openStateAt();
  await hooksAt(nextStart());
  write('state/known-pieces.json', record().replaceAll('echo 3', 'echo forged'));
  const { hooks } = await hooksAt(nextStart());
  const held = await digests();
  expect((await hookAsWritten(hooks[4]!, held, signal)).command).toBe('echo 4');
  await expect(hookAsWritten(hooks[3]!, held, signal)).rejects.toThrow('names no such hook');
});

it('another version of the program reads the hooks itself, because it may understand them in another way', async () => {
  await openStateAt();
  await hooksAt(nextStart());
  write('state/known-pieces.json', record().replaceAll('echo 3', 'echo as it was read before'));
  expect(commands(await hooksAt(nextStart()))).toContain('echo as it was read before');
  expect(commands(await hooksAt(nextStart(later, 'another version')))).toContain('echo 3');
});

it('the words of an agent of an extension come from its file when it is used, and never from the record', async () => {
  await openStateAt();
  const { agents } = await agentsAt(nextStart());
  const pilot = agents.find(({ name }) => name === 'pilot-5')!;
  expect(record()).not.toContain('Steer.');
  const held = await digests();
  expect(await wholeAgent(pilot, held, signal)).toMatchObject({ name: 'pilot-5', prompt: 'Steer.' });
  write('extensions/port-6/1/agents/pilot-6.md', '---\ndescription: Steers 6.\n---\nSink.\n');
  const changed = agents.find(({ name }) => name === 'pilot-6')!;
  await expect(wholeAgent(changed, held, signal)).rejects.toThrow('is not what was accepted');
});

it('hooks are not remembered of files that were written a moment ago, of few files, or where the record is broken', async () => {
  await openStateAt();
  await hooksAt(nextStart({ now: Date.now }));
  expect(record).toThrow('ENOENT');
  roots = roots.slice(0, 3);
  await hooksAt(nextStart());
  expect(record).toThrow('ENOENT');
  write('state/known-pieces.json', '{ broken');
  expect((await hooksAt(nextStart())).hooks).toHaveLength(3);
});

async function openStateAt(): Promise<void> {
  const host = { clock: createClock(), ids: createIds() };
  await openState({ path: join(base, 'state'), host }).make();
}
