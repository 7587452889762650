import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell, type TempShell } from './fixtures/temp-shell.js';

const confined = await isConfined();

async function openRead(text: string): Promise<TempShell> {
  const shell = await openTempShell({ forModel: true });
  shell.write('a.txt', text);
  await shell.call('read_file', { absolute_path: 'a.txt' });
  return shell;
}

const edit = (shell: TempShell, old_string: string, new_string: string) =>
  shell.call('edit', { file_path: 'a.txt', old_string, new_string });

describe.runIf(confined)('a file that the model has read and changed by a command', () => {
  it('is edited without a word about someone else', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    await shell.run('sed -i s/one/eins/ a.txt');
    expect(modelText(await edit(shell, 'three', 'drei'))).not.toMatch(/someone else/i);
    expect(shell.read('a.txt')).toBe('eins\ntwo\ndrei\n');
  });

  it('is overwritten as the model wants it, back to what it was before the command too', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    await shell.run('sed -i s/one/eins/ a.txt');
    const settled = await shell.call('write_file', { file_path: 'a.txt', content: 'one\ntwo\ndrei\n' });
    expect(modelText(settled)).not.toMatch(/someone else/i);
    expect(shell.read('a.txt')).toBe('one\ntwo\ndrei\n');
  });

  it('is shown as it is now to a model that edits what the command has replaced', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    await shell.run('sed -i s/two/zwei/ a.txt');
    const answer = modelText(await edit(shell, 'two', '2'));
    expect(answer).toMatch(/has changed since you last saw it/);
    expect(answer).toContain('+zwei');
  });

  it('counts as changed by someone else when someone was there after the command', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    await shell.run('sed -i s/one/eins/ a.txt');
    shell.write('a.txt', 'eins\nzwei\nthree\nfour\nfive\nsix\n');
    const answer = modelText(await edit(shell, 'six', '6'));
    expect(answer).toMatch(/Someone else had changed other lines of a\.txt/);
    expect(answer).not.toContain('-one');
  });

  it('counts as changed by someone else when someone was there before the command', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    shell.write('a.txt', 'one\nzwei\nthree\n');
    await shell.run('sed -i s/one/eins/ a.txt');
    expect(modelText(await edit(shell, 'three', 'drei'))).toMatch(
      /Someone else had changed other lines of a\.txt/,
    );
  });

  it('is not taken for known when a command removed it and made it anew', async () => {
    await using shell = await openRead('one\ntwo\nthree\n');
    await shell.run('rm a.txt');
    await shell.run('printf "one\\n2\\nthree\\n" > a.txt');
    expect(modelText(await edit(shell, 'three', 'drei'))).not.toMatch(/someone else/i);
  });
});
