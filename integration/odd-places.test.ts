import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createToolbox } from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({ 'a.txt': 'needle\n' });
});
afterEach(() => machine.cleanup());

const read = ['tools', 'run', 'read_file', '--args', '{"absolute_path":"a.txt"}'];
const write = (path: string, content: string) => [
  'tools',
  'run',
  'write_file',
  '-y',
  '--args',
  JSON.stringify({ file_path: path, content }),
];
const inWorkspace = (name: string) => join(machine.workspace, name);

describe('the state folder', () => {
  it.each<[string, (home: string) => Record<string, string>, RegExp]>([
    [
      'is a file',
      (home) => ({ TOOLWRIGHT_HOME: join(home, 'file') }),
      /state folder .*file can't be used: it is not a folder/,
    ],
    ['can not be made', () => ({ HOME: '/proc/1' }), /state folder \/proc\/1\/\.toolwright can't be used/],
    [
      'is in a home that is no path',
      () => ({ HOME: 'somewhere' }),
      /no usable home directory \(HOME is "somewhere"\)/,
    ],
    [
      'lies below a file',
      (home) => ({ TOOLWRIGHT_HOME: join(home, 'file/x') }),
      /state folder .* can't be used: a file is in the way/,
    ],
  ])('that %s is told with a remedy, and the program ends', async (_name, env, message) => {
    writeFileSync(join(machine.home, 'file'), '');
    const { stdout, stderr, code } = await machine.run(read, { env: env(machine.home) });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/TOOLWRIGHT_HOME/);
    expect([stdout, code]).toEqual(['', 52]);
  });

  it('is not needed to look at the tools, wherever it is', async () => {
    const { stdout, code } = await machine.run(['tools', 'list'], { env: { HOME: '/proc/1' } });
    expect(stdout).toMatch(/^read_file/m);
    expect(code).toBe(0);
  });

  it('is found without HOME', async () => {
    const env = { HOME: '', TOOLWRIGHT_HOME: machine.state };
    expect(await machine.run(read, { env })).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(machine.state)).toBe(true);
  });
});

describe('the workspace', () => {
  it('may be the home directory: what starts up with it is asked about', async () => {
    const run = (args: string[]) => machine.run([...args, '--workspace', machine.home]);
    expect((await run(write('notes.txt', 'x'))).code).toBe(0);
    for (const name of [
      '.bashrc',
      '.toolwright/settings.json',
      '.toolwright/grants.json',
      '.config/../.profile',
    ]) {
      expect(await run(write(name, 'x'))).toMatchObject({ code: 54, stdout: '' });
    }
    expect((await run(['undo'])).stdout).toMatch(/delete notes\.txt/);
  });

  it('may be the whole file system', async () => {
    const run = (args: string[]) => machine.run([...args, '--workspace', '/']);
    const path = inWorkspace('b.txt');
    expect((await run(write(path, 'x'))).code).toBe(0);
    expect((await run(['undo'])).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    const environ = ['tools', 'run', 'read_file', '--args', '{"absolute_path":"/proc/self/environ"}'];
    expect(await run(environ)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/kernel/),
    });
  });

  it('may be gone before the program looks for it', async () => {
    for (const args of [read, ['-p', 'list .'], ['undo'], ['trust'], ['sessions', 'list']]) {
      const other = createMachine();
      const onStart = () => rmSync(other.workspace, { recursive: true });
      const { stderr, code } = await other.run(args, { onStart });
      expect(stderr).toMatch(/^toolwright: The current folder does not exist any more\..*--workspace/);
      expect(code).toBe(52);
      other.cleanup();
    }
  });

  it('may vanish during a session, and every call is still answered', async () => {
    const { workspace, state: stateFolder } = machine;
    const toolbox = await createToolbox({ workspace, stateFolder, approvalMode: 'yolo' });
    const calls: [string, Record<string, unknown>][] = [
      ['read_file', { absolute_path: 'a.txt' }],
      ['write_file', { file_path: 'new/b.txt', content: 'x' }],
      ['edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' }],
      ['grep_search', { pattern: 'x' }],
      ['glob', { pattern: '*' }],
      ['list_directory', { path: '.' }],
      ['read_many_files', { paths: ['*'] }],
    ];
    const raw = calls.map(([name, args]) => ({ id: '', name, arguments: args }));
    rmSync(workspace, { recursive: true });
    const settled = await toolbox.scheduler.run(raw, new AbortController().signal);
    await toolbox.close();
    expect(settled.map(({ error }) => error?.code)).toEqual(calls.map(() => 'not_found'));
    expect(settled[1]?.error?.message).toBe(
      `The folder ${workspace} does not exist any more, so nothing was written. Tell the user.`,
    );
    expect(existsSync(workspace)).toBe(false);
  });
});

describe('undo', () => {
  it('passes over what was taken back by hand', async () => {
    await machine.run(write('one.txt', '1'));
    await machine.run(write('two.txt', '2'));
    rmSync(inWorkspace('two.txt'));
    expect((await machine.run(['undo'])).stdout).toMatch(/delete one\.txt/);
    expect((await machine.run(['undo'])).stdout).toMatch(/nothing to undo/);
    expect(readdirSync(machine.workspace)).toEqual(['a.txt']);
  });

  it('takes a change back again after its undo was undone', async () => {
    await machine.run(write('a.txt', 'changed\n'));
    const undone = await machine.run(['undo']);
    const redo = /toolwright undo (\S+)/.exec(undone.stdout)?.[1] ?? '';
    await machine.run(['undo', redo]);
    expect(readFileSync(inWorkspace('a.txt'), 'utf8')).toBe('changed\n');
    expect((await machine.run(['undo'])).code).toBe(0);
    expect(readFileSync(inWorkspace('a.txt'), 'utf8')).toBe('needle\n');
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['removed', () => undefined, /-changed/],
    ['a folder', (path) => mkdirSync(path), /It is a folder now/],
    ['a link', (path) => symlinkSync('elsewhere', path), /Becomes a link to "elsewhere"/],
    ['renamed and written anew', (path) => writeFileSync(path, 'mine\n'), /\+mine/],
  ])('leaves a file alone that is %s by now', async (_name, replace, shown) => {
    await machine.run(write('a.txt', 'changed\n'));
    rmSync(inWorkspace('a.txt'));
    replace(inWorkspace('a.txt'));
    const { stderr, code } = await machine.run(['undo']);
    expect(stderr).toMatch(/^Nothing was undone\. Changed since: a\.txt\./);
    expect(stderr).toMatch(shown);
    expect(code).toBe(1);
  });
});

describe('settings from outside', () => {
  it.each([
    ['{', /settings\.json:1:2: expected "}"/],
    ['[]', /expected an object/],
    ['{"v":2}', /written for a newer Toolwright/],
    ['{"aprovalMode":"yolo"}', /:1:2: unknown key aprovalMode\. Did you mean approvalMode\?/],
    ['{"approvalMode":"fast"}', /expected one of "plan", "default", "auto-edit", "yolo"/],
    [
      '{"permissions":{"deny":["read(x)"]}}',
      /unknown verb read in the rule "read\(x\)"\. Did you mean Read\?/,
    ],
    ['{"permissions":{"deny":[],"deny":[]}}', /given twice/],
    ['{"permissions":{"__proto__":{"allow":[]}}}', /unknown key permissions\.__proto__/],
    ['{"approvalMode":"$NOPE"}', /the variable NOPE is not set/],
    ['{"approvalMode":\0}', /settings\.json:1:/],
  ])('%j is told with its place and ends the program', async (text, message) => {
    const file = join(machine.home, 'settings.json');
    writeFileSync(file, text);
    const { stdout, stderr, code } = await machine.run([...read, '--settings', file]);
    expect(stderr).toMatch(message);
    expect([stdout, code]).toEqual(['', 52]);
  });

  it('of a project narrow what is allowed and never widen it, even when it is trusted', async () => {
    machine.write(
      '.toolwright/settings.json',
      JSON.stringify({
        approvalMode: 'yolo',
        permissions: { allow: ['write_file', 'Edit(**)'], deny: ['Read(secret.txt)'] },
        includeDirectories: ['/etc'],
        model: { baseUrl: 'http://127.0.0.1:9' },
      }),
    );
    machine.write('secret.txt', 'x\n');
    const secret = ['tools', 'run', 'read_file', '--args', '{"absolute_path":"secret.txt"}'];
    expect((await machine.run(secret)).code).toBe(0);
    const unasked = write('b.txt', 'x').filter((word) => word !== '-y');
    const outside = ['tools', 'run', 'read_file', '--args', '{"absolute_path":"/etc/hostname"}'];
    const trusted = await machine.run([...unasked, '--trust']);
    expect(trusted.code).toBe(54);
    for (const key of ['approvalMode', 'permissions.allow', 'includeDirectories', 'model.baseUrl'])
      expect(trusted.stderr).toContain(`${key} is ignored`);
    expect((await machine.run([...outside, '--trust'])).stderr).toMatch(/outside the folders/);
    await machine.run(['trust']);
    expect((await machine.run(secret)).stderr).toMatch(/The rule Read\(secret\.txt\) .* forbids it\./);
    machine.write('.toolwright/settings.json', '{}');
    const changed = await machine.run(secret);
    expect(changed.stderr).toMatch(/changed since you trusted it \(\.toolwright\/settings\.json modified\)/);
    expect(changed.code).toBe(0);
  });

  it('named by the user are theirs: the model does not change them unasked', async () => {
    const settings = inWorkspace('ci.json');
    writeFileSync(settings, '{"approvalMode":"auto-edit"}');
    const change = write('ci.json', '{"approvalMode":"yolo"}').filter((word) => word !== '-y');
    expect((await machine.run([...change, '--settings', settings])).code).toBe(54);
    const other = write('other.json', '{}').filter((word) => word !== '-y');
    expect((await machine.run([...other, '--settings', settings])).code).toBe(0);
  });
});
