import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openState } from '@toolwright/core';
import { createClock, createIds, openTrustStore } from '@toolwright/core/front-end';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { hookFiles, piecesOf, remarksOnPieces } from './pieces.js';

it('every folder and file of a project that pieces are read from is covered by its trust, and none is read without it', async () => {
  const temp = createTempWorkspace({ content: {} });
  const stateFolder = join(temp.outside, 'state');
  const home = { HOME: join(temp.outside, 'home') };
  const look = async () => {
    const host = { clock: createClock(), ids: createIds() };
    const store = openTrustStore(openState({ path: stateFolder, host }), host);
    const trust = await store.trustState(temp.directory, new AbortController().signal);
    const read = (trusted: boolean): string[] => {
      const { skills, commands, agents, hooks } = piecesOf(
        { stateFolder, trusted, trust, extensions: [] },
        home,
      );
      const all = [skills, commands, agents, hooks].flatMap((each) => each?.map(({ path }) => path) ?? []);
      return all.filter((path) => path.startsWith(`${temp.directory}/`));
    };
    return { fingerprint: Object.keys(trust.examination.fingerprint), read };
  };
  const folders = (await look()).read(true);
  const files = ['.toolwright/hooks/hooks.json', '.claude/settings.json', '.claude/settings.local.json'];
  const hooks = [...files, '.qwen/settings.json', '.gemini/settings.json'].map((name) =>
    join(temp.directory, name),
  );
  for (const path of [...folders.map((folder) => join(folder, 'inner/a.md')), ...hooks]) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '{"hooks": {}}');
  }
  const { fingerprint, read } = await look();
  const covered = fingerprint.map((name) => join(temp.directory, name));
  expect(read(true).sort()).toEqual([...folders, ...hooks].sort());
  for (const path of read(true))
    expect(
      covered.some((each) => each.startsWith(path)),
      path,
    ).toBe(true);
  expect(folders).toHaveLength(11);
  expect(read(false)).toEqual([]);
  await temp.cleanup();
});

it('hooks of a project whose programs nobody could check do not run, and the remark says so', () => {
  const fingerprint = {
    '.claude/hooks': 'too many files',
    '.claude/settings.json': 'a',
    '.qwen/settings.json': 'b',
  };
  const trust = { examination: { folder: '/work', fingerprint, commands: [] } };
  const setup = { stateFolder: '/state', trusted: true, trust, extensions: [] };
  expect(hookFiles(setup).map(({ path }) => path)).toEqual([
    '/state/hooks/hooks.json',
    '/work/.qwen/settings.json',
  ]);
  expect(remarksOnPieces(setup)).toEqual([
    expect.stringContaining(
      '.claude/hooks of this folder is not used, nor are the hooks of the settings beside it: it has more files',
    ),
  ]);
});
