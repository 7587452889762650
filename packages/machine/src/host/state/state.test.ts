import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createClock, createIds } from '../node-host.js';
import { readSmallFile } from './read-file.js';
import { replaceFile } from './replace-file.js';
import { openState } from './state.js';
import { type Formats, upgrade } from './versions.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const host = { clock: createClock(), ids: createIds() };
const { signal } = new AbortController();
const open = (formats?: Formats) => openState({ path: join(base, 'state'), host, formats });

/** A format that is at its third version, with a made-up past. */
const history: Formats = {
  versions: { example: 3, orphan: 2 },
  migrations: [
    { format: 'example', from: 1, change: ({ name, ...rest }) => ({ ...rest, title: name }) },
    { format: 'other', from: 2, change: () => ({ wrong: true }) },
    { format: 'example', from: 2, change: (data) => ({ ...data, tags: [] }) },
  ],
};

describe('versioned files', () => {
  it('are absent until something is written, then carry their version', async () => {
    const state = open();
    expect(await state.readJson('grants')).toBeNull();
    await expect(readdir(join(base, 'state'))).rejects.toThrow(/ENOENT/);
    await state.updateJson('grants', (current) => ({ ...current, grants: [] }), signal);
    expect(JSON.parse(await readFile(state.pathOf('grants.json'), 'utf8'))).toEqual({ v: 1, grants: [] });
    expect((await stat(state.pathOf('grants.json'))).mode & 0o777).toBe(0o600);
  });

  it('are left as they are when there is nothing to change', async () => {
    const state = open();
    await state.updateJson('grants', () => null, signal);
    await expect(stat(state.pathOf('grants.json'))).rejects.toThrow(/ENOENT/);
  });

  it('of an older version are brought up step by step', async () => {
    const state = open(history);
    await state.make();
    await writeFile(state.pathOf('example.json'), '{"v": 1, "name": "a"}');
    expect(await state.readJson('example')).toEqual({ v: 3, title: 'a', tags: [] });
    await state.updateJson('example', (current) => ({ ...current, more: true }), signal);
    expect(JSON.parse(await readFile(state.pathOf('example.json'), 'utf8'))).toEqual({
      v: 3,
      title: 'a',
      tags: [],
      more: true,
    });
  });

  it.each([
    [
      { v: 4 },
      'was written by a newer Toolwright (format 4; this one reads up to 3). Update Toolwright, or move the file away.',
    ],
    [{ v: 0 }, "has format 0, which this Toolwright can't read any more."],
    [{}, 'has no version ("v": 3). Restore it from a backup, or move it away.'],
    [{ v: '3' }, 'has no version ("v": 3). Restore it from a backup, or move it away.'],
  ])('%j is refused politely', (data, message) => {
    expect(() => upgrade('example', data, { where: 'example.json', formats: history })).toThrow(
      `example.json ${message}`,
    );
  });

  it('need a step for every version in between', () => {
    expect(() => upgrade('orphan', { v: 1 }, { where: 'x', formats: history })).toThrow(
      /can't read any more/,
    );
  });

  it('that are damaged are named, and never overwritten', async () => {
    const state = open();
    await state.make();
    await writeFile(state.pathOf('grants.json'), '{"v": 1, "gra');
    await expect(state.updateJson('grants', () => ({ grants: [] }), signal)).rejects.toThrow(
      /grants\.json can't be read: .*Repair it, or move it away to start afresh/,
    );
    expect(await readFile(state.pathOf('grants.json'), 'utf8')).toBe('{"v": 1, "gra');
    await writeFile(state.pathOf('grants.json'), '[]');
    await expect(state.readJson('grants')).rejects.toThrow(/it is not an object/);
  });
});

describe('replacing a file', () => {
  it('keeps its mode and the link that leads to it, and leaves nothing else behind', async () => {
    await writeFile(join(base, 'real.json'), 'old', { mode: 0o640 });
    await symlink('real.json', join(base, 'link.json'));
    await replaceFile(join(base, 'link.json'), 'new');
    expect(await readFile(join(base, 'real.json'), 'utf8')).toBe('new');
    expect((await stat(join(base, 'real.json'))).mode & 0o777).toBe(0o640);
    expect((await readdir(base)).sort()).toEqual(['link.json', 'real.json']);
  });

  it('removes its temporary file when it fails', async () => {
    await expect(replaceFile(base, 'x')).rejects.toThrow();
    expect(await readdir(base)).toEqual([]);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith(`.${base.split('/').pop()}`))).toEqual(
      [],
    );
  });
});

describe('reading a small file', () => {
  it('gives null for what is not there, and refuses folders and large files', async () => {
    expect(await readSmallFile(join(base, 'none'))).toBeNull();
    await expect(readSmallFile(base)).rejects.toThrow(/is not a regular file/);
    await writeFile(join(base, 'large'), 'x'.repeat(2049));
    await expect(readSmallFile(join(base, 'large'), 2048)).rejects.toThrow(/larger than 2 KiB/);
  });

  it('does not wait on a pipe', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(base, 'pipe')]);
    await expect(readSmallFile(join(base, 'pipe'))).rejects.toThrow(/is not a regular file/);
  });
});
