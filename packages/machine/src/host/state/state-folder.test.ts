import { chmod, chown, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { homeDirectory, openStateFolder, stateFolderPath } from './state-folder.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const isRoot = process.geteuid?.() === 0;

describe('where the state folder is', () => {
  it.each([
    [{ HOME: '/home/ann' }, '/home/ann/.toolwright'],
    [{ HOME: '/home/ann', TOOLWRIGHT_HOME: '/srv/state/' }, '/srv/state'],
    [{ HOME: '/home/ann', TOOLWRIGHT_HOME: '~/elsewhere' }, '/home/ann/elsewhere'],
    [{ HOME: '/home/ann', TOOLWRIGHT_HOME: ' ' }, '/home/ann/.toolwright'],
    [{ HOME: '/home/ann', TOOLWRIGHT_HOME: 'here' }, join(process.cwd(), 'here')],
  ])('%j gives %s', (environment, expected) => {
    expect(stateFolderPath(environment)).toBe(expected);
  });

  it('refuses a home directory that is no path', () => {
    expect(() => homeDirectory({ HOME: 'nowhere' })).toThrow(/no usable home directory.*Set HOME/);
  });
});

describe('the state folder', () => {
  it('is not created by looking', async () => {
    const folder = openStateFolder(join(base, 'state'));
    expect(await folder.exists()).toBe(false);
    expect(folder.pathOf('sessions', 'x.jsonl')).toBe(join(base, 'state/sessions/x.jsonl'));
    expect(await readdir(base)).toEqual([]);
  });

  it('is made on demand, closed to others, with only the folder that is needed', async () => {
    const folder = openStateFolder(join(base, 'a/state'));
    const made = await folder.make('sessions', 'project');
    expect(made).toBe(join(base, 'a/state/sessions/project'));
    expect(await modeOf(folder.path)).toBe(0o700);
    expect(await modeOf(made)).toBe(0o700);
    expect(await readdir(folder.path)).toEqual(['sessions']);
  });

  it('is closed to others when it was open', async () => {
    const folder = openStateFolder(base);
    await chmod(base, 0o755);
    expect(await folder.exists()).toBe(true);
    expect(await modeOf(base)).toBe(0o700);
  });

  it.runIf(isRoot)('is refused when others could write there and have put something in', async () => {
    await writeFile(join(base, 'settings.json'), '{}');
    await chmod(base, 0o777);
    expect(await openStateFolder(base).exists()).toBe(true);
    await chmod(base, 0o777);
    await chown(join(base, 'settings.json'), 65_534, 65_534);
    await expect(openStateFolder(base).exists()).rejects.toThrow(
      `The state folder ${base} can't be used: others may write there, and settings.json belongs to user 65534. Look at it, remove what is not yours, or set TOOLWRIGHT_HOME to a folder of your own.`,
    );
  });

  it('may be a link to a folder elsewhere', async () => {
    await mkdir(join(base, 'real'));
    await symlink('real', join(base, 'link'));
    await openStateFolder(join(base, 'link')).make('log');
    expect(await readdir(join(base, 'real'))).toEqual(['log']);
  });

  it('says what is wrong when a file is in the way', async () => {
    await writeFile(join(base, 'state'), '');
    await expect(openStateFolder(join(base, 'state')).make()).rejects.toThrow(
      `The state folder ${base}/state can't be used: it is not a folder. Change its owner or mode, or set TOOLWRIGHT_HOME to a folder of your own.`,
    );
    await expect(openStateFolder(join(base, 'state/inner')).make()).rejects.toThrow(/a file is in the way/);
  });

  it('can be used once the user has repaired it', async () => {
    const folder = openStateFolder(join(base, 'state'));
    await writeFile(folder.path, '');
    await expect(folder.exists()).rejects.toThrow(/not a folder/);
    await rm(folder.path);
    expect(await folder.make()).toBe(folder.path);
  });

  it('refuses a folder that belongs to someone else, for reading too', async () => {
    if (isRoot) await chown(base, 12345, 12345);
    const folder = openStateFolder(isRoot ? base : '/usr');
    const message = isRoot
      ? /belongs to user 12345, and this is user 0 \(sudo\?\)/
      : /belongs to user 0, and this/;
    await expect(folder.make()).rejects.toThrow(message);
    await expect(folder.exists()).rejects.toThrow(message);
  });

  it('refuses a folder on which nothing can be written', async () => {
    await expect(openStateFolder('/proc/toolwright-state').make()).rejects.toThrow(
      /The state folder \/proc\/toolwright-state can't be used/,
    );
  });
});
