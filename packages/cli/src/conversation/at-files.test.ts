import { rmSync } from 'node:fs';
import { createToolbox, type Toolbox, textOf } from '@toolwright/core';
import { createTempWorkspace } from '@toolwright/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandAtFiles, mentionedPaths } from './at-files.js';

describe('a prompt', () => {
  it.each<[string, string[]]>([
    ['what does @src/a.ts do', ['src/a.ts']],
    ['@a and (@b) and @a', ['a', 'b)']],
    ['look at @"a b.txt" and @\'c d\'', ['a b.txt', 'c d']],
    ['@a\\ b.txt c', ['a b.txt']],
    ['mail me@example.org', []],
    ['@ nothing', []],
    ['a@b @c', ['c']],
    ['line one\n@x/y', ['x/y']],
  ])('that is %j mentions %j', (prompt, paths) => {
    expect(mentionedPaths(prompt)).toEqual(paths);
  });
});

describe('a prompt with its files', () => {
  const machine = createTempWorkspace({
    content: {
      'src/a.ts': 'export const a = 1;\n',
      'src/b.ts': 'bbb\n',
      'src/[id].ts': 'brackets\n',
      'secret.txt': 'hidden\n',
    },
  });
  let toolbox: Toolbox;
  beforeAll(async () => {
    toolbox = await createToolbox({
      workspace: machine.directory,
      stateFolder: `${machine.outside}/state`,
      rules: [{ verdict: 'deny', text: 'Read(secret.txt)', source: 'test' }],
    });
  });
  afterAll(async () => {
    await toolbox.close();
    await machine.cleanup();
  });

  it('reads them with a call that no model hears of, so that errors in sources wait for one that it does', async () => {
    const batches: unknown[] = [];
    const scheduler: Toolbox['scheduler'] = {
      ...toolbox.scheduler,
      run(calls, signal, batch) {
        batches.push(batch);
        return toolbox.scheduler.run(calls, signal, batch);
      },
    };
    const { signal } = new AbortController();
    await expandAtFiles('@src/a.ts', { ...toolbox, scheduler }, signal);
    expect(batches).toEqual([{ unheard: true }]);
  });
  const expand = async (prompt: string): Promise<{ text: string; notes: string[] }> => {
    const { parts, notes } = await expandAtFiles(prompt, toolbox, new AbortController().signal);
    return { text: textOf(parts), notes };
  };

  it.each<[string, string[], string[]]>([
    ['explain @src/a.ts.', ['explain @src/a.ts.', '--- src/a.ts ---', 'export const a = 1;'], []],
    ['compare @src', ['export const a = 1;', 'bbb'], []],
    ['what is in @src?', ['export const a = 1;', 'bbb'], []],
    ['see @src/*.ts', ['export const a = 1;', 'bbb', 'brackets'], []],
    ['see @src/[id].ts', ['brackets'], []],
    ['use @Component here', ['use @Component here'], []],
    [
      'add @types/node',
      ['add @types/node'],
      ['@types/node is not a file or folder here; it is sent as written.'],
    ],
    [
      'read @/etc/passwd',
      ['read @/etc/passwd'],
      ['@/etc/passwd is not a file or folder here; it is sent as written.'],
    ],
  ])('of %j holds %j, with the notes %j', async (prompt, contains, notes) => {
    const expanded = await expand(prompt);
    for (const part of contains) expect(expanded.text).toContain(part);
    expect(expanded.notes).toEqual(notes);
  });

  it('has nothing from outside the workspace', async () => {
    const { text, notes } = await expand('read @/etc/*.conf');
    expect(text).toBe('read @/etc/*.conf');
    expect(notes).toEqual([expect.stringMatching(/\/etc/)]);
  });

  it('has nothing that rules keep from the model', async () => {
    const { text, notes } = await expand('show @secret.txt and @src/a.ts');
    expect(notes).toEqual(['The rule Read(secret.txt) (test) forbids reading secret.txt.']);
    expect(text).toContain('export const a = 1;');
    expect(text).not.toContain('hidden\n');
  });

  it('has the others where a link leads to what rules keep from the model', async () => {
    machine.symlink('src/link.txt', '../secret.txt');
    const { text, notes } = await expand('show @src/link.txt and @src/a.ts');
    rmSync(machine.path('src/link.txt'));
    expect(notes).toEqual(['The rule Read(secret.txt) (test) forbids reading secret.txt.']);
    expect(text).toContain('export const a = 1;');
  });

  it('says why where they could not be read', async () => {
    const asking = await createToolbox({
      workspace: machine.directory,
      stateFolder: `${machine.outside}/state`,
      rules: [{ verdict: 'ask', text: 'Read(src)', source: 'test' }],
    });
    const { parts, failure } = await expandAtFiles('see @src/a.ts', asking, new AbortController().signal);
    await asking.close();
    expect(parts).toEqual([{ text: 'see @src/a.ts' }]);
    expect(failure).toMatch(/the rule Read\(src\) \(test\) asks before .* there is nobody to ask/);
  });

  it('is sent as it is where the tool is left out', async () => {
    const bare = await createToolbox({
      workspace: machine.directory,
      stateFolder: `${machine.outside}/state`,
      excludeTools: ['read_many_files'],
    });
    const { parts, notes } = await expandAtFiles('see @src/a.ts', bare, new AbortController().signal);
    expect(parts).toEqual([{ text: 'see @src/a.ts' }]);
    expect(notes).toEqual(['@path needs the tool read_many_files, which is excluded here.']);
    await bare.close();
  });
});
