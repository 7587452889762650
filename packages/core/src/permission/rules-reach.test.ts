import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf } from '@toolwright/machine/host/plain-files/regular-file.js';
import { afterLinks } from '@toolwright/machine/host/workspace.js';
import { modelledReach } from '@toolwright/machine/shell/beyond-rule/programs.js';
import { readLines } from '@toolwright/machine/shell/fixtures/read-lines.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lineEffects } from './fixtures/line-effects.js';
import { createPermission, type Permission } from './permission.js';

let directory: string;
const tool = 'run_shell_command';

beforeAll(() => {
  directory = afterLinks(mkdtempSync(join(tmpdir(), 'reach-')));
  for (const folder of ['src', 'packages/own', 'nested/.git'])
    mkdirSync(join(directory, folder), { recursive: true });
  for (const name of ['package.json', 'Makefile', 'conftest.py'])
    writeFileSync(join(directory, 'packages/own', name), '');
  for (const name of ['a.ts', 'a.test.ts']) writeFileSync(join(directory, 'src', name), '');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function permissionWith(allow: readonly string[], deny: readonly string[] = []): Promise<Permission> {
  const rules = [
    ...allow.map((text) => ({ verdict: 'allow' as const, text, source: 'a' })),
    ...deny.map((text) => ({ verdict: 'deny' as const, text, source: 'd' })),
  ];
  const workspace = {
    directory,
    rootOf: () => ({ path: directory, access: 'write' as const }),
    show: (path: string) => path,
  };
  return createPermission({ mode: 'default', rules, workspace, home: '/home/me' });
}

const effectsOf = (command: string, at = directory) =>
  lineEffects(command, {
    directory: at,
    roots: [directory],
    home: '/home/me',
    realPath: afterLinks,
    entriesOf,
  });

it('a rule covers what it grants, and no option, operand or folder that names something else', async () => {
  const lines = readLines('granted.txt');
  const wrong: string[] = [];
  for (const { group, command } of lines) {
    const { decide } = await permissionWith(group.split(', '));
    const { decision, reason } = decide({ tool, effects: await effectsOf(command.slice(2)) });
    const expected = command.startsWith('+ ') ? 'allow' : 'ask';
    if (decision !== expected) wrong.push(`${group}: ${command}: ${decision}: ${reason}`);
  }
  expect(wrong).toEqual([]);
  const granted = lines.filter(({ command }) => command.startsWith('+ ')).length;
  expect(lines.length - granted).toBeGreaterThan(150);
  expect(modelledReach.length).toBeGreaterThan(80);
  console.log(
    `evidence: ${granted} granted lines without a question, ${lines.length - granted} that reach further are asked about; ${modelledReach.length} programs in the table`,
  );
});

it('a rule that denies a command denies it in every wrapper, shell and runner', async () => {
  const { decide } = await permissionWith([], ['Shell(git push)']);
  const lines = readLines('denied.txt');
  const wrong: string[] = [];
  for (const { command } of lines) {
    const { decision } = decide({ tool, effects: await effectsOf(command) });
    if (decision !== 'deny') wrong.push(`${command}: ${decision}`);
  }
  expect(wrong).toEqual([]);
  console.log(`evidence: ${lines.length} ways to run a denied command, ${wrong.length} not denied`);
});

it.each([
  'git log --grep push',
  'git stash push',
  'git log origin/push',
  'echo git push',
  'git --no-pager log push',
  'npm run push',
])('%s is not denied by a rule about git push', async (command) => {
  const { decide } = await permissionWith([], ['Shell(git push)']);
  expect(decide({ tool, effects: await effectsOf(command) }).decision).not.toBe('deny');
});

it('the folder of the call counts like one that cd goes to', async () => {
  const { decide } = await permissionWith(['Shell(npm test)']);
  const decisionAt = async (folder: string) =>
    decide({ tool, effects: await effectsOf('npm test', join(directory, folder)) }).decision;
  expect(await decisionAt('.')).toBe('allow');
  expect(await decisionAt('src')).toBe('allow');
  expect(await decisionAt('packages/own')).toBe('ask');
});

it('the reason says which rule does not cover it, and why', async () => {
  const { decide } = await permissionWith(['Shell(npm test)']);
  const { reason } = decide({ tool, effects: await effectsOf('npm test --script-shell=./x') });
  expect(reason).toBe(
    'default mode asks before running npm test --script-shell=./x (the rule Shell(npm test) (a) does not cover it: --script-shell names another program, file or place)',
  );
});

it('the offer spells what reaches further, and the folder', async () => {
  const { offers } = await permissionWith([]);
  const rulesFor = async (command: string) =>
    offers({ tool, effects: await effectsOf(command) }).map(({ rule }) => rule);
  expect(await rulesFor('npm test --prefix packages/own -- --run')).toEqual([
    'Shell(npm test --prefix packages/own)',
  ]);
  expect(await rulesFor('cd packages/own && npm test')).toEqual([
    'Shell(cd packages/own) and Shell(npm test)',
  ]);
  expect(await rulesFor('cd /tmp && npm test')).toEqual([]);
  expect(await rulesFor('npm test $WHAT')).toEqual([]);
});
