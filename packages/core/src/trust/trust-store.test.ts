import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState, type State } from '@toolwright/machine/host/state/state.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTrustStore, type TrustStore } from './trust-store.js';

let base: string;
let project: string;
let state: State;
let store: TrustStore;
const { signal } = new AbortController();

beforeEach(async () => {
  base = tempFolder();
  project = join(base, 'project');
  await mkdir(project);
  const host = { clock: { ...createClock(), now: () => 5_000 }, ids: createIds() };
  state = openState({ path: join(base, 'state'), host });
  store = openTrustStore(state, host);
});

async function write(name: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(project, name)), { recursive: true });
  await writeFile(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
}

async function trust(): Promise<void> {
  const { examination } = await store.trustState(project, signal);
  await store.trustFolder(examination, signal);
}

const stateNow = async (folder = project) => {
  const { examination: _examination, ...rest } = await store.trustState(folder, signal);
  return rest;
};

describe('trust', () => {
  it('is unknown at first, and asking for it writes nothing', async () => {
    await write('.env', 'A=1');
    expect(await stateNow()).toEqual({ state: 'unknown' });
    expect(await store.list()).toEqual([]);
    await expect(readFile(state.pathOf('trust.json'))).rejects.toThrow(/ENOENT/);
  });

  it('is remembered with the real path, in whatever way the folder is named', async () => {
    await write('.mcp.json', { mcpServers: {} });
    await trust();
    await symlink(project, join(base, 'link'));
    expect(await stateNow(join(base, 'link'))).toEqual({ state: 'trusted' });
    expect(await stateNow(`${project}/../project/`)).toEqual({ state: 'trusted' });
    expect(await store.list()).toEqual([
      {
        folder: project,
        trusted: true,
        files: { '.mcp.json': expect.stringMatching(/^[0-9a-f]{64}$/) },
        decidedAt: 5_000,
      },
    ]);
  });

  it('covers one folder: neither those inside it nor the one around it', async () => {
    await mkdir(join(project, 'inner'));
    await trust();
    expect(await stateNow(join(project, 'inner'))).toEqual({ state: 'unknown' });
    expect(await stateNow(base)).toEqual({ state: 'unknown' });
    expect(await stateNow(`${project}`)).toEqual({ state: 'trusted' });
  });

  it('can be refused for good, and the answer forgotten, also for a folder that is gone', async () => {
    const { examination } = await store.trustState(project, signal);
    await store.distrustFolder(examination, signal);
    await write('.env', 'A=1');
    expect(await stateNow()).toEqual({ state: 'untrusted' });
    await rm(project, { recursive: true });
    expect(await store.untrustFolder(project, signal)).toBe(true);
    expect(await store.untrustFolder(project, signal)).toBe(false);
    await mkdir(project);
    expect(await stateNow()).toEqual({ state: 'unknown' });
  });

  it('does not move along with a renamed folder', async () => {
    await trust();
    await rename(project, join(base, 'elsewhere'));
    expect(await stateNow(join(base, 'elsewhere'))).toEqual({ state: 'unknown' });
  });

  it('is about content: the same bytes with another date are the same', async () => {
    await write('.toolwright/tools/a.js', 'run()');
    await trust();
    await utimes(join(project, '.toolwright/tools/a.js'), 1, 1);
    await write('README.md', 'changed');
    await write('src/index.ts', 'changed');
    expect(await stateNow()).toEqual({ state: 'trusted' });
  });

  it('covers what the user was shown, not what came meanwhile', async () => {
    const { examination } = await store.trustState(project, signal);
    await write('.toolwright/tools/late.js', 'evil()');
    await store.trustFolder(examination, signal);
    expect(await stateNow()).toEqual({
      state: 'changed',
      changes: [{ path: '.toolwright/tools/late.js', change: 'added' }],
    });
  });

  it('says what changed, and holds again after a new answer', async () => {
    await write('.env', 'A=1');
    await write('.toolwright/tools/a.js', 'a');
    await write('.toolwright/hooks/pre.sh', 'a');
    await trust();
    await write('.env', 'A=2');
    await rm(join(project, '.toolwright/tools/a.js'));
    await write('.toolwright/tools/deep/b.js', 'b');
    expect(await stateNow()).toEqual({
      state: 'changed',
      changes: [
        { path: '.env', change: 'modified' },
        { path: '.toolwright/tools/a.js', change: 'removed' },
        { path: '.toolwright/tools/deep/b.js', change: 'added' },
      ],
    });
    await trust();
    expect(await stateNow()).toEqual({ state: 'trusted' });
    expect(await store.list()).toHaveLength(1);
  });

  it('refuses a damaged file of answers rather than guess', async () => {
    await state.make();
    await writeFile(state.pathOf('trust.json'), '{"v":1,"folders":[{"folder":"/","trusted":"yes"}]}');
    await expect(stateNow()).rejects.toThrow(
      /trust\.json holds something that is not an answer about a folder/,
    );
  });

  it('of many folders at once loses no answer', async () => {
    const folders = Array.from({ length: 10 }, (_, index) => join(base, `many-${index}`));
    await Promise.all(folders.map((folder) => mkdir(folder)));
    await Promise.all(
      folders.map(async (folder) => {
        const own = new AbortController().signal;
        const { examination } = await store.trustState(folder, own);
        await store.trustFolder(examination, own);
      }),
    );
    expect((await store.list()).map(({ folder }) => folder).sort()).toEqual(folders.sort());
  });
});
