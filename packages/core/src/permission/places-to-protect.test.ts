import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { runLaterByName } from '@toolwright/machine/base/places/places.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placesToProtect } from './places-to-protect.js';

let root: string;

beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'places-'))), 'work');
  mkdirSync(root);
});

afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }));

const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-C', root, '-c', 'advice.addEmbeddedRepo=false', ...args], { stdio: 'pipe' });

async function places(effects: Effect[] = []): Promise<{ held: string[]; named: string[] }> {
  const { protectedPaths, protectedIfThere } = await placesToProtect({ roots: [root], effects });
  const names = (paths: readonly string[]): string[] => paths.map((path) => relative(root, path));
  return { held: names(protectedPaths), named: names(protectedIfThere) };
}

const running = (...commands: string[]): Effect => ({
  kind: 'execute',
  command: commands.join('; '),
  directory: root,
  readOnly: false,
  network: false,
  background: true,
  commands: commands.map((command) => command.split(' ')),
});

it('the list of places to protect keeps what something runs by itself from being made, as folders, and names all the others', async () => {
  const { protectedPaths } = await placesToProtect({ roots: [root] });
  expect(protectedPaths.every((path) => path.endsWith('/'))).toBe(true);
  const { held, named } = await places();
  expect(held.toSorted()).toEqual([
    ...['.cursor', '.devcontainer', '.git', '.husky', '.idea', '.mcp.json', '.toolwright', '.vscode', '.zed'],
  ]);
  expect(named).toEqual(
    expect.arrayContaining(['.npmrc', '.envrc', '.github', '.gitlab-ci.yml', 'Jenkinsfile', '.bashrc']),
  );
  for (const name of [...held, ...named]) expect(runLaterByName(name)).not.toBeNull();
});

it('the list of places to protect names what is there under a name that only ends so, and the places of a home that lies in a root', async () => {
  writeFileSync(join(root, 'a.code-workspace'), '{}');
  expect((await places()).named).toContain('a.code-workspace');
  const home = join(root, 'ann');
  const { protectedIfThere } = await placesToProtect({ roots: [root], home });
  expect(protectedIfThere).toEqual(
    expect.arrayContaining([join(home, '.config/git'), join(home, '.local/bin'), join(home, '.aws')]),
  );
  const elsewhere = await placesToProtect({ roots: [root], home: '/home/ann' });
  expect(elsewhere.protectedIfThere.filter((path) => path.startsWith('/home/ann'))).toEqual([]);
});

it('protects .git of a repository as a whole', async () => {
  git('init', '-q');
  const { held, named } = await places([running('npm run dev')]);
  expect(held).toContain('.git');
  expect(named.filter((name) => name.startsWith('.git/'))).toEqual([]);
});

it.each([
  ['git add a', true],
  ['git add a; git commit -m x', true],
  ['git status', false],
  ['git add a; npm test', false],
  ['git config core.pager x', false],
  ['', false],
])('the list of places to protect leaves .git but for its settings to %j: %s', async (line, expected) => {
  git('init', '-q');
  const { held, named } = await places(line === '' ? [] : [running(...line.split('; '))]);
  expect([!held.includes('.git'), named.includes('.git/commondir')]).toEqual([expected, expected]);
});

it('the list of places to protect leaves it to no command that writes into it by the way', async () => {
  git('init', '-q');
  const write: Effect = { kind: 'write', path: join(root, '.git/commondir'), declared: 'by the way' };
  expect((await places([running('git add a'), write])).held).toContain('.git');
});

it('the list of places to protect puts no empty .git into a folder of a repository, where it would be taken for the top', async () => {
  git('init', '-q', '..');
  const { held, named } = await places();
  expect([held.includes('.git'), named.includes('.git')]).toEqual([false, true]);
});

it('the list of places to protect takes in what a rule denies, and the places of linked repositories', async () => {
  const byRule = [join(root, 'keys'), '/elsewhere', root];
  const { protectedIfThere } = await placesToProtect({ roots: [root], byRule });
  expect(protectedIfThere.filter((path) => byRule.includes(path))).toEqual([join(root, 'keys')]);
  git('init', '-q');
  git('init', '-q', 'lib');
  git('-C', 'lib', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('add', 'lib');
  expect((await places([running('git add a')])).held).toContain('lib/.git');
});
