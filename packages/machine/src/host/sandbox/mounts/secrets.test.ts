import { expect, test } from 'vitest';
import { usualSecrets } from './secrets.js';

const home = '/home/ann';

function looksAt(folders: Record<string, string[]>) {
  const looked: string[] = [];
  const names = (folder: string): string[] => {
    looked.push(folder);
    return folders[folder] ?? [];
  };
  const found = usualSecrets(home, { fileSystem: { names }, isSeen: () => false, onlyPresent: true });
  return { looked, inHome: found.filter((path) => path.startsWith(`${home}/`)) };
}

const all = usualSecrets(home, { fileSystem: { names: () => [] }, isSeen: () => false });
const allInHome = all.filter((path) => path.startsWith(`${home}/`));

test('the list of a home tells which secrets may be there, with one more look where many share a folder', () => {
  const { looked, inHome } = looksAt({
    [home]: ['.ssh', '.config', 'notes.txt'],
    [`${home}/.config`]: ['gh', 'other'],
  });
  expect(inHome).toEqual([`${home}/.ssh`, `${home}/.config/gh`]);
  expect(looked).toEqual(['/etc/ssh', home, `${home}/.config`]);
});

test('names count however a file system spells them', () => {
  expect(looksAt({ [home]: ['.SSH'] }).inHome).toEqual([`${home}/.ssh`]);
});

test('a folder that can not be listed may hold all of them', () => {
  expect(looksAt({}).inHome).toEqual(allInHome);
  const below = allInHome.filter((path) => path.startsWith(`${home}/.config/`));
  expect(below.length).toBeGreaterThan(20);
  expect(looksAt({ [home]: ['.config'] }).inHome).toEqual(below);
});
