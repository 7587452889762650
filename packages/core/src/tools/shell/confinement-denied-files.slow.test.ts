import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell, type TempShellOptions } from './fixtures/temp-shell.js';

const confined = await isConfined();
const denying = (...texts: string[]) =>
  texts.map((text) => ({ verdict: 'deny' as const, text, source: 'test' }));

async function open(options: TempShellOptions = {}) {
  const rules = denying('Read(keys/a)', 'Read(deep/**/*.pem)');
  const shell = await openTempShell({ approvalMode: 'yolo', rules, ...options });
  shell.write('keys/a', 'KEY=swordfish\n');
  shell.write('deep/er/b.pem', 'PEM=swordfish\n');
  return shell;
}

describe.runIf(confined)('a folder with a denied file in it', () => {
  it('is not renamed by a job', async () => {
    await using shell = await open();
    const command = 'mv keys k2; mv deep d2; mv deep/er deep/r2; cat k2/* d2/er/* deep/r2/*; echo tried';
    const answer = modelText(await shell.run(command, { is_background: true }));
    expect(answer).toContain('tried');
    expect(answer).not.toContain('swordfish');
    const made = ['k2', 'd2', 'deep/r2'].filter((name) => existsSync(join(shell.directory, name)));
    expect(made).toEqual([]);
  });

  it('is not renamed by a command whose changes can not be shown first', async () => {
    await using outer = await openTempShell();
    const workspace = join(outer.directory, 'src');
    outer.write('src/keys/a', 'KEY=swordfish\n');
    await using shell = await openTempShell({
      approvalMode: 'yolo',
      rules: denying('Read(keys/a)'),
      workspace,
      stateFolder: join(workspace, 'state'),
    });
    const answer = modelText(await shell.run('mv keys k2; cat k2/a; echo tried'));
    expect(answer).toContain('tried');
    expect(answer).not.toContain('swordfish');
    expect(existsSync(join(workspace, 'k2'))).toBe(false);
  });
});

describe('a denied file', () => {
  const ways = {
    'in a renamed folder': { command: 'mv keys k2', path: 'k2/a' },
    renamed: { command: 'x=$(printf keys); mv $x/a plain.txt', path: 'plain.txt' },
    'as a hard link': { command: 'x=$(printf keys); ln $x/a plain.txt', path: 'plain.txt' },
    'as a copy': { command: 'x=$(printf keys); cp $x/a plain.txt', path: 'plain.txt' },
    'found by a pattern, as a copy': {
      command: 'x=$(printf deep); cp $x/er/b.pem plain.txt',
      path: 'plain.txt',
    },
  };

  async function tryToRead(shell: Awaited<ReturnType<typeof open>>, path: string): Promise<void> {
    const read = modelText(await shell.call('read_file', { absolute_path: path }));
    expect(read).toMatch(/is (keys\/a|deep\/er\/b\.pem) under another name or a copy of it/);
    for (const [tool, args] of [
      ['read_many_files', { paths: ['.', path] }],
      ['grep_search', { pattern: 'sword.ish' }],
      ['grep_search', { pattern: 'sword.ish', path }],
      ['run_shell_command', { command: `cat ${path}` }],
      ['run_shell_command', { command: 'grep -r sword.ish' }],
      ['run_shell_command', { command: 'cat $(printf %s .)/* */*' }],
    ] as const)
      expect([args, modelText(await shell.call(tool, args)).includes('=swordfish')]).toEqual([args, false]);
  }

  it.each(Object.entries(ways))(
    '%s, by a job that nothing confines, stays denied for the rest of the session',
    async (_, { command, path }) => {
      await using shell = await open({
        sandbox: { mode: 'off' },
        answer: ({ details }) =>
          details.kind === 'exec' && details.command === command ? { kind: 'once' } : { kind: 'cancel' },
      });
      await shell.run(command, { is_background: true });
      expect(existsSync(join(shell.directory, path))).toBe(true);
      await tryToRead(shell, path);
    },
  );

  it.runIf(confined)('copied by a command that the user typed is hidden from later commands', async () => {
    const { command, path } = ways['as a copy'];
    await using shell = await open();
    await shell.runAs('user', command);
    expect(existsSync(join(shell.directory, path))).toBe(true);
    await tryToRead(shell, path);
  });

  it('leaves alone what holds something else', async () => {
    await using shell = await open();
    shell.write('other.txt', 'KEY=another-one\n');
    await shell.run('true');
    expect(modelText(await shell.call('read_file', { absolute_path: 'other.txt' }))).toContain('another-one');
  });
});
