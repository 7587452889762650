import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine, program } from './program.js';

let machine: Machine;
beforeAll(() => {
  machine = createMachine({
    'src/a.ts': 'const a = 1; // TODO later\n',
    'src/b.ts': 'const b = 2;\n',
    'notes.txt': 'old text\n',
    '.gitignore': 'node_modules\n',
    'node_modules/x/index.js': '// TODO not ours\n',
  });
});
afterAll(() => machine.cleanup());

describe('a prompt without any configuration', () => {
  it('is answered through a real call', async () => {
    const { stdout, stderr, code } = await machine.run(['-p', 'find TODO in src']);
    expect(stdout).toMatch(/src\/a\.ts\n1: const a = 1; \/\/ TODO later/);
    expect(stdout).toMatch(/It is not a language model/);
    expect([stderr, code]).toEqual(['', 0]);
  });

  it('may come on standard input', async () => {
    const { stdout, code } = await machine.run([], { input: 'list src\n' });
    expect(stdout).toMatch(/a\.ts/);
    expect(code).toBe(0);
  });

  it('may name files by @path', async () => {
    const fresh = createMachine({ 'notes.txt': 'remember the milk\n' });
    const { stdout } = await fresh.run(['-p', 'hello @notes.txt', '--output-format', 'stream-json']);
    expect(stdout).toMatch(/"type":"call-start".*"read_many_files"/);
    fresh.cleanup();
  });

  it('leaves a journal for the owner alone', async () => {
    expect(statSync(machine.state).mode & 0o777).toBe(0o700);
    const [project] = readdirSync(join(machine.state, 'sessions'));
    const [session] = readdirSync(join(machine.state, 'sessions', project!));
    const lines = readFileSync(join(machine.state, 'sessions', project!, session!), 'utf8')
      .trim()
      .split('\n');
    const types = lines.map((line) => JSON.parse(line)).map(({ v, type }) => `${v} ${type}`);
    expect(types).toEqual([
      '1 session-start',
      '1 message',
      '1 message',
      '1 call-start',
      '1 call-decision',
      '1 call-end',
      '1 message',
      '1 message',
    ]);
  });

  it('does not wait for a standard input that nobody writes to', async () => {
    const { stdout, stderr, code } = await machine.run(['-p', 'list src'], { holdInput: true });
    expect(stdout).toMatch(/a\.ts/);
    expect(stderr).toMatch(/nothing came on standard input/);
    expect(code).toBe(0);
  });

  it('gives one object with --output-format json', async () => {
    const { stdout } = await machine.run(['-p', 'list src', '--output-format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      session_id: expect.any(String),
      response: expect.stringMatching(/a\.ts/),
      stats: { turns: 2, calls: 1 },
      permission_denials: [],
      changes: [],
    });
  });

  it('gives one event a line with --output-format stream-json', async () => {
    const { stdout } = await machine.run(['-p', 'list src', '--output-format', 'stream-json']);
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual([
      'session-start',
      'usage-report',
      'call-start',
      'call-end',
      'text-delta',
      'usage-report',
      'result',
    ]);
  });
});

describe('changes', () => {
  it('are refused when nobody can be asked, and the exit code says so', async () => {
    const { stdout, stderr, code } = await machine.run(['-p', "replace 'old' with 'new' in notes.txt"]);
    expect(code).toBe(54);
    expect(stdout).toMatch(/Denied: default mode asks before writing notes\.txt, and there is nobody to ask/);
    expect(stderr).toMatch(/edit was refused/);
    expect(readFileSync(join(machine.workspace, 'notes.txt'), 'utf8')).toBe('old text\n');
  });

  it('are made in auto-edit mode and can be undone, and the undo too', async () => {
    const path = join(machine.workspace, 'notes.txt');
    const edit = await machine.run([
      '-p',
      "replace 'old' with 'new' in notes.txt",
      '--approval-mode',
      'auto-edit',
    ]);
    expect(edit.code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('new text\n');
    const list = await machine.run(['undo', '--list']);
    expect(list.stdout).toMatch(/edit: 1 file changed/);
    const undo = await machine.run(['undo']);
    expect(undo).toMatchObject({ code: 0, stdout: expect.stringMatching(/-new text\n\+old text/) });
    expect(readFileSync(path, 'utf8')).toBe('old text\n');
    const again = /toolwright undo (\S+)/.exec(undo.stdout)?.[1];
    expect((await machine.run(['undo', again!])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('new text\n');
  });

  it('are undone back to a point', async () => {
    const fresh = createMachine({ 'a.txt': 'one\n' });
    const write = (text: string) =>
      fresh.run([
        'tools',
        'run',
        'write_file',
        '-y',
        '--args',
        JSON.stringify({ file_path: 'a.txt', content: text }),
      ]);
    for (const text of ['two\n', 'three\n', 'four\n']) expect((await write(text)).code).toBe(0);
    const ids = JSON.parse((await fresh.run(['undo', '--list', '--json'])).stdout).map(
      ({ changeSet }: { changeSet: { id: string } }) => changeSet.id,
    );
    expect((await fresh.run(['undo', '--to', ids.at(-1)])).code).toBe(0);
    expect(readFileSync(join(fresh.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    fresh.cleanup();
  });

  it('are not undone over the work of others', async () => {
    await machine
      .run(['tools', 'run', 'write_file', '--args', '{"file_path":"mine.txt","content":"one\\n"}', '-y'])
      .catch(() => undefined);
    const { code } = await machine.run(['-p', "write 'one' to mine.txt", '-y']);
    expect(code).toBe(0);
    machine.write('mine.txt', 'one\nand by hand\n');
    const undo = await machine.run(['undo']);
    expect(undo.code).toBe(1);
    expect(undo.stderr).toMatch(/Changed since: mine\.txt/);
    expect(undo.stderr).toMatch(/\+and by hand/);
    expect(existsSync(join(machine.workspace, 'mine.txt'))).toBe(true);
  });
});

describe('the command line', () => {
  it.each<[string[], number, RegExp]>([
    [
      ['--aproval-mode', 'plan', '-p', 'x'],
      2,
      /Unknown flag --aproval-mode\. Did you mean --approval-mode\?/,
    ],
    [['--approval-mode', 'fast', '-p', 'x'], 2, /must be one of plan, default, auto-edit, yolo/],
    [['-p'], 2, /--prompt needs a value/],
    [['--max-turns', 'x', '-p', 'x'], 2, /--max-turns: .* expected a whole number from 1 to 10000/],
    [['tolls', 'list'], 2, /There is no command tolls\. Did you mean tools\?/],
    [['tools', 'lst'], 2, /There is no command tools lst/],
    [['tools', 'run'], 2, /needs the name of a tool/],
    [['tools', 'run', 'glob', '{"pattern":"*"}'], 2, /go into --args: .* --args '\{"pattern":"\*"\}'/],
    [['--workspace', '.', 'doctor'], 2, /Flags come after the command: toolwright doctor/],
    [['tools', 'run', 'glob', '--args', '{'], 2, /--args is not JSON/],
    [['tools', 'show', 'nope'], 2, /There is no tool called "nope"/],
    [['sessions', 'show', 'nope'], 2, /There is no session nope/],
    [
      ['permissions', 'revoke', 'nope'],
      2,
      /There is no remembered answer nope\. toolwright permissions lists them\.\n$/,
    ],
    [['-y', '--approval-mode', 'plan', '-p', 'x'], 2, /-y means --approval-mode yolo/],
    [['--workspace', '/does/not/exist', '-p', 'list .'], 52, /\/does\/not\/exist/],
    [['completion', 'tcsh'], 2, /needs one of bash, zsh, fish, powershell/],
    [['undo', 'zzz'], 2, /There is no change zzz/],
    [[], 2, /There is no prompt/],
  ])('%j is refused with code %i and the reason', async (args, code, message) => {
    const ended = await machine.run(args);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect(ended).toMatchObject({ code, stdout: '' });
  });
});

describe('the commands', () => {
  it('--version prints the version and --help everything else, without making a state folder', async () => {
    const fresh = createMachine();
    expect((await fresh.run(['--version'])).stdout).toBe('0.1.0\n');
    const help = await fresh.run(['--help']);
    for (const word of [
      'tools',
      'undo',
      'trust',
      'doctor',
      'init',
      'completion',
      '--approval-mode',
      '--workspace',
      '54',
    ])
      expect(help.stdout).toContain(word);
    fresh.cleanup();
  });

  it('doctor says each thing only once', async () => {
    const fresh = createMachine({
      '.toolwright/settings.json': '{ "permissions": { "allow": ["Edit(src)"] } }',
    });
    const untrusted = await fresh.run(['doctor', '--sandbox', 'off']);
    expect([untrusted.stderr, untrusted.stdout.match(/not trusted/g)]).toEqual(['', ['not trusted']]);
    const trusted = await fresh.run(['doctor', '--sandbox', 'off', '--trust']);
    expect([trusted.stderr, trusted.stdout.match(/permissions.allow is ignored/g)]).toHaveProperty(
      '1.length',
      1,
    );
    fresh.write('broken.json', '{ "aprovalMode": 1 }');
    const broken = await fresh.run(['doctor', '--sandbox', 'off', '--settings', 'broken.json']);
    expect([broken.code, broken.stdout.match(/aprovalMode/g)?.length]).toEqual([1, 1]);
    fresh.cleanup();
  });

  it('doctor says what works on this machine', async () => {
    const { stdout, code } = await machine.run(['doctor']);
    expect(stdout).toMatch(/^ok {6}Node: v/m);
    expect(stdout).toMatch(/^ok {6}Search \(ripgrep\): works$/m);
    expect(stdout).toMatch(/^note {4}Model: the built-in offline model answers/m);
    expect(stdout).toMatch(/^note {4}Web search: not offered/m);
    expect(stdout).toMatch(/^ok {6}Undo: works$/m);
    expect(code).toBe(0);
  });

  it('init makes what is missing and keeps what is there', async () => {
    const fresh = createMachine({ 'AGENTS.md': 'mine\n' });
    const { stdout, code } = await fresh.run(['init']);
    expect([stdout, code]).toEqual([
      expect.stringMatching(/made {7}\.toolwright\/settings\.json\nleft as is AGENTS\.md/),
      0,
    ]);
    expect(readFileSync(join(fresh.workspace, 'AGENTS.md'), 'utf8')).toBe('mine\n');
    expect((await fresh.run(['trust'])).stdout).toMatch(/Trusted:/);
    expect((await fresh.run(['doctor', '--sandbox', 'off'])).stdout).toMatch(
      /Settings: read from .*\.toolwright\/settings\.json/,
    );
    fresh.cleanup();
  });

  it('completion knows the commands and flags', async () => {
    expect((await machine.run(['completion', 'bash'])).stdout).toMatch(/toolwright/);
    expect((await machine.run(['complete', '--', ''])).stdout).toMatch(/^tools/m);
    expect((await machine.run(['complete', '--', '--app'])).stdout).toMatch(/--approval-mode/);
  });

  it('the completion script for bash may be sourced twice, and needs nothing but bash', () => {
    const script = `
      toolwright() { HOME=${machine.home} node ${program} "$@"; }
      source <(toolwright completion bash)
      source <(toolwright completion bash)
      COMP_WORDS=(toolwright perm) COMP_CWORD=1
      compopt() { :; }
      __toolwright_complete && echo "offered: \${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-euc', script], {
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'offered: permissions\n', stderr: '' });
  });

  it('tools show prints what the model sees', async () => {
    const { stdout } = await machine.run(['tools', 'show', 'write_file']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'write_file',
      parametersJsonSchema: { required: ['file_path', 'content'] },
    });
  });
});

describe('text in any encoding', () => {
  const samples: [string, Buffer][] = [
    [
      'Latin-1',
      Buffer.from(
        'caf\xe9 d\xe9j\xe0 vu, na\xefve fa\xe7ade alpha\r\nGr\xf6\xdfe und \xdcbung\r\n',
        'latin1',
      ),
    ],
    ['UTF-16', Buffer.from('\ufeffgr\u00fc\u00dfe alpha\r\n', 'utf16le')],
    [
      'GBK',
      Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0xb2, 0xe2, 0xca, 0xd4, 0x20, 0x61, 0x6c, 0x70, 0x68, 0x61, 0x0a]),
    ],
    ['UTF-8', Buffer.from('gr\u00fc\u00dfe alpha\n')],
  ];
  it.each(samples)('%s is read and edited by the built program, byte for byte', async (_name, bytes) => {
    const fresh = createMachine();
    const path = join(fresh.workspace, 'text.txt');
    writeFileSync(path, bytes);
    const edit = await fresh.run(['-p', "replace 'alpha' with 'omega' in text.txt", '-y']);
    expect([edit.stderr, edit.code]).toEqual(['', 0]);
    const wide = bytes[0] === 0xff ? 'utf16le' : 'latin1';
    const expected = Buffer.from(bytes.toString(wide).replace('alpha', 'omega'), wide);
    expect(readFileSync(path).equals(expected)).toBe(true);
    fresh.cleanup();
  });
});

describe('tools show --provider', () => {
  it.each(['openai', 'openai-responses', 'anthropic', 'gemini'])(
    'prints what is sent to %s and what is lost',
    async (provider) => {
      const { stdout, code } = await machine.run(['tools', 'show', 'grep_search', '--provider', provider]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        offered: true,
        sent: expect.any(Object),
        losses: expect.any(Array),
      });
      expect(stdout).toContain('grep_search');
    },
  );
});

describe('tools run', () => {
  it('prints the display, or the error on standard error', async () => {
    const good = await machine.run(['tools', 'run', 'list_directory', '--args', '{"path":"src"}']);
    expect(good).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/src/) });
    const bad = await machine.run(['tools', 'run', 'read_file', '--args', '{"absolute_path":"nope.txt"}']);
    expect(bad).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/nope\.txt/) });
  });

  it.each([
    ['read_file', { absolute_path: 'src/a.ts' }, /^Read src\/a\.ts: .*\n[^\n]*TODO/],
    ['glob', { pattern: '**/a.ts' }, /^Found 1 file \(newest first\)\nsrc\/a\.ts\n$/],
    ['grep_search', { pattern: 'TODO' }, /^Found 1 match in 1 file\n\nsrc\/a\.ts\n1: .*TODO/],
    ['list_directory', { path: 'src' }, /^Listed 2 entries in src\nsrc\/ \(2 entries\)\na\.ts /],
  ])('prints what %s has found under the line that sums it up', async (name, args, expected) => {
    const { stdout } = await machine.run(['tools', 'run', name, '--args', JSON.stringify(args)]);
    expect(stdout).toMatch(expected);
  });

  it('prints what a command printed until it was stopped', async () => {
    const args = JSON.stringify({ command: 'echo begun; sleep 60', timeout: 300 });
    const ended = await machine.run(['tools', 'run', 'run_shell_command', '--args', args]);
    expect(ended).toMatchObject({
      code: 1,
      stdout: 'begun\n',
      stderr: expect.stringMatching(/^stopped at the time limit of 0\.3 s/),
    });
  });

  it('takes the arguments from standard input and prints JSON', async () => {
    const { stdout, code } = await machine.run(['tools', 'run', 'glob', '--args', '-', '--json'], {
      input: '{"pattern":"**/*.ts"}',
    });
    expect(JSON.parse(stdout)).toEqual({
      llmContent: expect.stringMatching(/src\/a\.ts/),
      returnDisplay: expect.any(String),
    });
    expect(code).toBe(0);
  });

  it('answers every line of a batch, whatever it holds', async () => {
    const lines = [
      '{"name":"list_directory","args":{"path":"src"}}',
      'not json',
      '[]',
      '{"name":5}',
      '{"name":"nope"}',
      '',
      '{"name":"glob","args":"text"}',
      '{"name":"glob","args":null}',
    ];
    const { stdout, code } = await machine.run(['tools', 'run', '--batch'], { input: lines.join('\n') });
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      'invalid_params',
      'invalid_params',
      'invalid_params',
      'unknown_tool',
      'invalid_params',
      'invalid_params',
    ]);
    expect(code).toBe(1);
  });

  it('refuses what would have to be asked about', async () => {
    const { code, stdout } = await machine.run([
      'tools',
      'run',
      'write_file',
      '--args',
      '{"file_path":"x.txt","content":"x"}',
      '--json',
    ]);
    expect(code).toBe(54);
    expect(JSON.parse(stdout).error.code).toBe('denied');
    expect(existsSync(join(machine.workspace, 'x.txt'))).toBe(false);
  });
});
