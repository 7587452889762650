import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolbox, type SettledCall, type Toolbox, textOf } from '@toolwright/core';
import { openContextFiles } from '@toolwright/core/front-end';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
let toolbox: Toolbox;

beforeEach(async () => {
  machine = createMachine({
    '.toolwrightignore': '# private\nprivate/\n*.key\n!open.key\n',
    'private/plan.txt': 'KEY=swordfish\n',
    'private/book.ipynb':
      '{"cells": [{"cell_type": "code", "source": "swordfish", "outputs": []}], "nbformat": 4}',
    'a.key': 'KEY=swordfish\n',
    'open.key': 'nothing\n',
    'sub/.toolwrightignore': 'b.txt\n',
    'sub/b.txt': 'KEY=swordfish\n',
    'plain.txt': 'nothing\n',
  });
  symlinkSync('private/plan.txt', join(machine.workspace, 'link.txt'));
  toolbox = await createToolbox({
    workspace: machine.workspace,
    stateFolder: machine.state,
    approvalMode: 'yolo',
  });
});
afterEach(async () => {
  await toolbox.close();
  machine.cleanup();
});

async function call(name: string, args: Record<string, unknown>): Promise<SettledCall> {
  const [settled] = await toolbox.scheduler.run(
    [{ id: '', name, arguments: args }],
    new AbortController().signal,
  );
  return settled!;
}

const privateRule =
  /is named by an ignore rule \(\.toolwrightignore line 2: "private\/"\), so tools neither read nor change it\. The user can take that line out, or take the file back with a line that begins with "!"\./;

describe('a file that .toolwrightignore names', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['read_file', { absolute_path: 'private/plan.txt' }, privateRule],
    ['read_file', { absolute_path: 'link.txt' }, privateRule],
    ['read_file', { absolute_path: 'private/book.ipynb' }, privateRule],
    ['read_file', { absolute_path: 'a.key' }, /\(\.toolwrightignore line 3: "\*\.key"\)/],
    ['read_file', { absolute_path: 'sub/b.txt' }, /\(sub\/\.toolwrightignore line 1: "b\.txt"\)/],
    ['read_many_files', { paths: ['a.key', 'sub/b.txt', 'private', 'private/plan.txt'] }, /No file was read/],
    ['grep_search', { pattern: 'sword.ish', path: 'private' }, privateRule],
    ['grep_search', { pattern: 'sword.ish', path: 'a.key' }, /line 3/],
    ['edit', { file_path: 'a.key', old_string: 'KEY', new_string: 'X' }, /line 3/],
    ['write_file', { file_path: 'a.key', content: 'x' }, /line 3/],
  ])(
    'is refused by %s (%j), and the message names the rule and how to change it',
    async (tool, args, message) => {
      const settled = await call(tool, args);
      expect(textOf(settled.llmContent)).toMatch(message);
      expect(textOf(settled.llmContent)).not.toContain('swordfish');
      expect(settled.error).toBeDefined();
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ['grep_search', { pattern: 'sword.ish', include_ignored: true }],
    ['grep_search', { pattern: 'sword.ish' }],
    ['grep_search', { pattern: 'swordfish', include_ignored: true, files_only: true }],
    ['read_many_files', { paths: ['**/*', '.', 'sub/*'], use_default_excludes: false }],
  ])('is not found by content with %s (%j)', async (tool, args) => {
    const answer = textOf((await call(tool, args)).llmContent);
    expect(answer).not.toMatch(/KEY=|swordfish.*(a\.key|plan\.txt|b\.txt)|1 match|lies? in/);
  });

  it('is still listed by name on request, and a rule that takes it back opens it', async () => {
    const listed = await call('list_directory', { path: '.', include_ignored: true });
    expect(textOf(listed.llmContent)).toContain('a.key');
    expect(textOf((await call('read_file', { absolute_path: 'open.key' })).llmContent)).toContain('nothing');
    writeFileSync(join(machine.workspace, '.toolwrightignore'), '*.key\n!a.key\n');
    expect(textOf((await call('read_file', { absolute_path: 'a.key' })).llmContent)).toContain('swordfish');
  });

  it('binds commands only through a Read rule, and their changes to it are kept and undone', async () => {
    expect(textOf((await call('run_shell_command', { command: 'cat a.key' })).llmContent)).toContain(
      'swordfish',
    );
    await call('run_shell_command', { command: 'echo new > a.key' });
    const seen = await call('run_shell_command', { command: 'cat a.key' });
    expect(textOf(seen.llmContent)).toContain('new');
  });

  it('stays closed where a model would change the rules itself', async () => {
    for (const file_path of ['.toolwrightignore', 'private/.toolwrightignore', 'sub/.toolwrightignore'])
      expect((await call('write_file', { file_path, content: '!*\n' })).denied).toBeDefined();
    const command = 'rm .toolwrightignore; echo "!b.txt" > sub/.toolwrightignore';
    expect((await call('run_shell_command', { command })).denied).toBeDefined();
    for (const absolute_path of ['a.key', 'private/plan.txt', 'sub/b.txt'])
      expect(textOf((await call('read_file', { absolute_path })).llmContent)).not.toContain('swordfish');
  });

  it('is not taken into context by an import', async () => {
    machine.write('AGENTS.md', 'Hello.\n@a.key\n@plain.txt\n');
    const { host, state, permission } = toolbox;
    const files = await openContextFiles({
      host,
      state,
      policy: permission.refusalWithoutAsking,
      trusted: true,
    });
    const { text } = await files.initial(new AbortController().signal);
    expect(text).toContain('Hello.');
    expect(text).not.toContain('swordfish');
  });
});
