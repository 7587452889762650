import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConfirmRequest,
  createToolbox,
  type RuleText,
  type SettledCall,
  type ToolboxOptions,
  textOf,
} from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeDigest } from './malformed/tree-digest.js';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({
    'a.txt': 'plain\n',
    'secret/key.txt': 'KEY=swordfish\n',
    '.git/hooks/pre-commit': '#!/bin/sh\nexit 0\n',
    'asked.txt': 'ASKED=hunter2\n',
  });
});
afterEach(() => machine.cleanup());

const link = (name: string, target: string) => symlinkSync(target, join(machine.workspace, name));
const rule = (verdict: RuleText['verdict'], text: string): RuleText => ({ verdict, text, source: 'here' });

interface Flow {
  asked: ConfirmRequest[];
  call(tool: string, args: Record<string, unknown>): Promise<SettledCall>;
}

async function open(options: Partial<ToolboxOptions> = {}): Promise<Flow> {
  const asked: ConfirmRequest[] = [];
  const toolbox = await createToolbox({
    workspace: machine.workspace,
    stateFolder: machine.state,
    approvalMode: 'yolo',
    confirm: async (request) => {
      asked.push(request);
      return { kind: 'cancel', reason: 'not now' };
    },
    ...options,
  });
  return {
    asked,
    async call(name, args) {
      const [settled] = await toolbox.scheduler.run(
        [{ id: '', name, arguments: args }],
        new AbortController().signal,
      );
      return settled!;
    },
  };
}

const write = (file_path: string) => ['write_file', { file_path, content: 'x\n' }] as const;

describe.each(['default', 'auto-edit', 'yolo'] as const)('protected paths in %s mode', (approvalMode) => {
  it.each([
    ['a hook', '.git/hooks/pre-commit'],
    ['a new hook', '.git/hooks/post-merge'],
    ['a name in capitals', '.GIT/hooks/x'],
    ['a .git file deeper down', 'vendor/lib/.git'],
    ['a hook behind a link to the folder', 'hooks-link/post-merge'],
    ['a hook behind a link to the file', 'hook-link'],
    ['a hook behind two links', 'link-to-link'],
    ['a file that does not exist behind a link', 'dangling'],
    ['our own settings', '.toolwright/settings.json'],
    ['a shell start-up file', 'home/.bashrc'],
  ])('%s is asked about, and "always" is not offered', async (_name, path) => {
    link('hooks-link', '.git/hooks');
    link('hook-link', '.git/hooks/pre-commit');
    link('link-to-link', 'hook-link');
    link('dangling', '.git/hooks/none');
    const before = treeDigest(machine.workspace);
    const { asked, call } = await open({ approvalMode });
    const { error, denied } = await call(...write(path));
    expect([error?.code, denied?.by]).toEqual(['denied', 'user']);
    expect(asked.map(({ offers }) => offers)).toEqual([[]]);
    expect(treeDigest(machine.workspace)).toBe(before);
  });
});

describe('the state folder inside the workspace', () => {
  it('is asked about like our own settings, under whatever name', async () => {
    const stateFolder = join(machine.workspace, 'kept');
    link('other-name', 'kept');
    for (const path of [
      'kept/settings.json',
      'kept/grants.json',
      'kept/cache/code/x.bin',
      'other-name/trust.json',
    ]) {
      const { asked, call } = await open({ stateFolder });
      expect((await call(...write(path))).denied?.by).toBe('user');
      expect(asked[0]?.reason).toMatch(/protected path is always asked about/);
    }
  });

  it('is asked about as a workspace of its own, too', async () => {
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const { call } = await open({ workspace: machine.state });
    expect((await call(...write('settings.json'))).denied?.by).toBe('user');
  });

  it('covers a settings file that the user named', async () => {
    const { call } = await open({ ownFiles: [join(machine.workspace, 'ci-settings.json')] });
    expect((await call(...write('ci-settings.json'))).denied?.by).toBe('user');
    expect((await call(...write('ci-settings.json.txt'))).error).toBeUndefined();
  });
});

it('a folder inside .git that was given as a root stays protected', async () => {
  const hooks = join(machine.workspace, '.git/hooks');
  const { call } = await open({ workspace: hooks });
  expect((await call(...write('post-merge'))).denied?.by).toBe('user');
  mkdirSync(join(machine.workspace, '.github'));
  const included = await open({ include: [{ path: join(machine.workspace, '.github'), access: 'write' }] });
  expect((await included.call(...write('.github/workflow.yml'))).denied?.by).toBe('user');
});

it('a file behind a link in the workspace is read without a question, as it is by its own name', async () => {
  link('plain.txt', 'a.txt');
  const { asked, call } = await open({ approvalMode: 'default' });
  expect(textOf((await call('read_file', { absolute_path: 'plain.txt' })).llmContent)).toContain('plain');
  expect(asked).toEqual([]);
});

describe('a rule that denies reading', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['read_file', 'by name', { absolute_path: 'secret/key.txt' }],
    ['read_file', 'behind a link to the folder', { absolute_path: 'open/key.txt' }],
    ['read_file', 'behind a link to the file', { absolute_path: 'note.txt' }],
    ['read_file', 'by a name that is nearly right', { absolute_path: 'open/kei.txt' }],
    ['read_many_files', 'by pattern', { paths: ['**/*', 'open/*', 'open', 'note.txt'] }],
    ['read_many_files', 'with the default excludes off', { paths: ['**'], use_default_excludes: false }],
    ['grep_search', 'everywhere', { pattern: 'sword.ish', glob: 'secret/**' }],
    ['grep_search', 'behind a link', { pattern: 'sword.ish', path: 'open' }],
    ['grep_search', 'with lines around', { pattern: 'plain', context: 20, include_ignored: true }],
    ['grep_search', 'by name only', { pattern: 'KEY', files_only: true, path: 'open' }],
    ['glob', 'everywhere', { pattern: '**/key*' }],
    ['glob', 'behind a link', { pattern: 'open/*' }],
    ['list_directory', 'by name', { path: 'secret' }],
    ['list_directory', 'behind a link', { path: 'open' }],
    ['edit', 'behind a link', { file_path: 'open/key.txt', old_string: 'KEY=', new_string: 'x' }],
    [
      'edit',
      'by a name that is nearly right',
      { file_path: 'open/kei.txt', old_string: 'a', new_string: 'b' },
    ],
    ['write_file', 'behind a link', { file_path: 'open/key.txt', content: 'x' }],
    ['write_file', 'a new file behind a link', { file_path: 'open/new.txt', content: 'x' }],
  ])('binds %s %s', async (tool, _how, args) => {
    link('open', 'secret');
    link('note.txt', 'secret/key.txt');
    const { call } = await open({ rules: [rule('deny', 'Read(secret)')] });
    const before = treeDigest(join(machine.workspace, 'secret'));
    const { llmContent, display, error } = await call(tool, args);
    const said = textOf(llmContent) + (typeof display === 'string' ? display : JSON.stringify(display));
    if (error) expect(error.code).toMatch(/denied|not_found/);
    expect(said).not.toContain('swordfish');
    if (!/key|note/.test(JSON.stringify(args))) expect(said).not.toContain('key.txt');
    expect(treeDigest(join(machine.workspace, 'secret'))).toBe(before);
  });

  it('costs read_many_files the file it is about and no other', async () => {
    const { call } = await open({ rules: [rule('deny', 'Read(secret)')] });
    const { llmContent, error } = await call('read_many_files', {
      paths: ['a.txt', 'secret/key.txt', 'secret'],
    });
    expect(error).toBeUndefined();
    expect(textOf(llmContent)).toMatch(
      /^--- a\.txt ---\nplain\n\n\[Not read:\n- secret: secret is hidden by rules\n- secret\/key\.txt: The rule Read\(secret\)/,
    );
  });

  it('holds in folders that were added', async () => {
    const other = join(machine.home, 'other');
    mkdirSync(other);
    const include = [{ path: other, access: 'write' as const }];
    const { call } = await open({ include, rules: [rule('deny', 'Read(**/.env)')] });
    expect((await call('read_file', { absolute_path: join(other, '.env') })).error?.code).toBe('denied');
  });
});

describe('a rule that asks before reading', () => {
  const rules = () => [rule('ask', 'Read(asked.txt)')];

  it.each<[string, Record<string, unknown>]>([
    ['read_file', { absolute_path: 'asked.txt' }],
    ['read_file', { absolute_path: 'link.txt' }],
    ['read_many_files', { paths: ['link.txt'] }],
    ['grep_search', { pattern: 'ASKED', path: 'asked.txt' }],
    ['grep_search', { pattern: 'ASKED', path: 'link.txt' }],
  ])('asks when %s names it: %j', async (tool, args) => {
    link('link.txt', 'asked.txt');
    const { asked, call } = await open({ rules: rules() });
    expect((await call(tool, args)).denied?.by).toBe('user');
    expect(asked).toHaveLength(1);
    const agreed = await open({ rules: rules(), confirm: async () => ({ kind: 'once' }) });
    expect(textOf((await agreed.call(tool, args)).llmContent)).toContain('ASKED=');
  });

  it.each<[string, Record<string, unknown>]>([
    ['grep_search', { pattern: 'ASKED' }],
    ['grep_search', { pattern: 'plain|ASKED', context: 3 }],
    ['read_many_files', { paths: ['*.txt'] }],
    ['read_many_files', { paths: ['.'] }],
  ])('keeps it out of what %s finds by itself: %j', async (tool, args) => {
    const { asked, call } = await open({ rules: rules() });
    const { llmContent } = await call(tool, args);
    expect(textOf(llmContent)).not.toMatch(/hunter2/);
    expect(asked).toHaveLength(0);
  });
});

it('a rule may call a tool by any of its names', async () => {
  const { call } = await open({ rules: [rule('deny', 'replace'), rule('deny', 'search_file_content')] });
  const edit = { file_path: 'a.txt', old_string: 'plain', new_string: 'x' };
  expect((await call('edit', edit)).error?.code).toBe('denied');
  expect((await call('replace', edit)).error?.code).toBe('denied');
  expect((await call('grep_search', { pattern: 'plain' })).error?.code).toBe('denied');
  const without = await open({ excludeTools: ['replace'] });
  expect((await without.call('edit', edit)).error?.code).toBe('unknown_tool');
});
