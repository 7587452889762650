import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { server } from './mcp/stage.js';
import { createMachine } from './program.js';
import { calls, createReplayStage, type ReplayStage, says } from './replay/stage.js';

const canReplay = isConfined && (await canStage());
if (!canReplay) console.log('evidence: no sandbox or no overlay here: toolwright replay was not tried');

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stage of open.splice(0)) await stage.close();
});

async function stageWith(files: Record<string, string>, env?: Record<string, string>): Promise<ReplayStage> {
  const stage = await createReplayStage(files, env);
  open.push(stage);
  return stage;
}

const work = [
  calls(['read_file', { absolute_path: 'sum.sh' }], ['glob', { pattern: '*.sh' }]),
  calls(['edit', { file_path: 'sum.sh', old_string: '-', new_string: '+' }]),
  calls(['run_shell_command', { command: 'sh sum.sh 1 2 > result.txt; cat result.txt' }]),
  says('It adds now.'),
];
const tree = { 'sum.sh': 'echo $(($1 - $2))\n', 'README.md': 'Adds two numbers.\n' };

const mentions = (text: string, words: readonly string[]): string[] =>
  words.filter((word) => text.includes(word));

describe.runIf(canReplay)('toolwright replay', () => {
  it('finds nothing otherwise in the same folder after the session changed its files, and leaves nothing behind', async () => {
    const stage = await stageWith(tree);
    const recorded = await stage.record(work, '-y');
    expect(recorded, recorded.stderr).toMatchObject({ code: 0, stdout: 'It adds now.\n' });
    expect(stage.at('result.txt')).toBe('3\n');
    const asked = stage.server.requests.length;
    const again = await stage.replay('-y');
    expect(again.stdout).toMatch(
      /^Session \w+ of \S+, run again with its recorded answers: 4 calls\.\nEverything is as it was\.\n$/,
    );
    expect([again.code, stage.server.requests.length - asked]).toEqual([0, 0]);
    expect(stage.at('sum.sh')).toBe('echo $(($1 + $2))\n');
    const sessions = readdirSync(join(stage.machine.state, 'sessions')).flatMap((folder) =>
      readdirSync(join(stage.machine.state, 'sessions', folder)),
    );
    const apart = readdirSync(join(stage.machine.state, 'apart'));
    expect([sessions.length, apart]).toEqual([1, []]);
    // Every saved session can be replayed by its id.
    const byId = await stage.machine.run(['replay', sessions[0]!.replace('.jsonl', ''), '-y']);
    expect(byId.stdout).toContain(
      'run again with its recorded answers: 4 calls.\nEverything is as it was.\n',
    );
  });

  it('says what a session apart said, and that its changes were kept apart', async () => {
    const stage = await stageWith(tree);
    const recorded = await stage.record(work, '-y', '--apart');
    expect(recorded.code, recorded.stderr).toBe(0);
    expect(readFileSync(stage.file, 'utf8')).toContain('[kept apart: 1 file created: result.txt]');
    const { stdout, stderr } = await stage.replay('-y');
    expect(stdout, stderr).toMatch(/: 4 calls\.\nEverything is as it was\.\n$/);
  });

  it('takes a recording in the workspace for no part of it, and says where one breaks off', async () => {
    const stage = await stageWith(tree);
    stage.server.answer(...work);
    const { env } = stage;
    const recorded = await stage.machine.run(['--record', 'fix.jsonl', '-y', '-p', 'Do the work.'], { env });
    expect(recorded.code, recorded.stderr).toBe(0);
    const whole = await stage.machine.run(['replay', 'fix.jsonl', '-y'], { env });
    expect(whole.stdout, whole.stderr).toContain('4 calls.\nEverything is as it was.\n');
    const text = stage.at('fix.jsonl')!;
    stage.machine.write(
      'fix.jsonl',
      text.slice(0, text.indexOf('"type":"answer"', text.indexOf('sum.sh 1 2'))),
    );
    stage.machine.write('sum.sh', tree['sum.sh']);
    rmSync(join(stage.machine.workspace, 'result.txt'));
    const cut = await stage.machine.run(['replay', 'fix.jsonl', '-y'], { env });
    expect(cut.stdout, cut.stderr).toContain(
      'Note: The recording breaks off before the session ended: nothing after it was compared.',
    );
    expect(cut.stdout).toContain('Everything is as it was, as far as it could be compared.');
    const folder = await stage.machine.run(['replay', '/', '-y'], { env });
    expect(folder.stderr).toBe('toolwright: / is not a recording. toolwright --record FILE makes one.\n');
  });

  it('replays a session that was summarised on the way, by its recording and by its id', async () => {
    const stage = await stageWith({ ...tree, 'long.txt': 'a line of a long text\n'.repeat(600) });
    mkdirSync(stage.machine.state, { recursive: true, mode: 0o700 });
    const settings = { model: { contextWindow: 10_000 } };
    writeFileSync(join(stage.machine.state, 'settings.json'), JSON.stringify(settings));
    const full = { inputTokens: 9_000, outputTokens: 20 };
    const recorded = await stage.record(
      [
        calls(['read_file', { absolute_path: 'long.txt' }], ['read_file', { absolute_path: 'sum.sh' }]),
        { ...calls(['edit', { file_path: 'sum.sh', old_string: '-', new_string: '+' }]), usage: full },
        says('A summary: sum.sh adds now.'),
        calls(['run_shell_command', { command: 'sh sum.sh 1 2 > result.txt; cat result.txt' }]),
        says('It adds now.'),
      ],
      '-y',
    );
    expect([recorded.code, recorded.stdout], recorded.stderr).toEqual([0, 'It adds now.\n']);
    expect(stage.server.requests).toHaveLength(5);
    const sessions = readdirSync(join(stage.machine.state, 'sessions'), { recursive: true }).map(String);
    const id = basename(sessions.find((name) => name.endsWith('.jsonl'))!, '.jsonl');
    for (const args of [
      [stage.file],
      [stage.file, '--tools', 'recorded'],
      [id],
      [id, '--tools', 'recorded'],
    ]) {
      const { stdout, stderr } = await stage.machine.run(['replay', ...args, '-y'], { env: stage.env });
      expect(stdout, stderr).toMatch(/: 4 calls\.\n(?:SHA.*\n)?Everything is as it was\.\n$/);
    }
  });

  it('finds nothing otherwise where the tool or the user refused a call, and nothing is run that was refused', async () => {
    const stage = await stageWith(tree);
    const unread = calls(['edit', { file_path: 'sum.sh', old_string: '-', new_string: '+' }]);
    const removes = calls(['run_shell_command', { command: 'rm README.md' }]);
    const recorded = await stage.record([unread, removes, says('I was not allowed to.')]);
    expect(recorded.code, recorded.stderr).toBe(54);
    const { stdout, stderr } = await stage.replay();
    expect(stdout, stderr).toMatch(
      /: 2 calls\.\nCall 2, run_shell_command, was answered from the recording: it was refused then, and nobody is asked now\.\nEverything is as it was\.\n$/,
    );
  });

  it('tells of a changed tool, a changed rule and a file that is different in the end', async () => {
    const stage = await stageWith(tree);
    const tool = join(stage.machine.state, 'tools', 'greet.js');
    const greet = (word: string): string => `import { defineTool } from '@toolwright/core';
export default defineTool({
  apiVersion: 1, name: 'greet', description: 'Greets the user.',
  parameters: { type: 'object', properties: {} }, effects: () => [], run: () => '${word}',
});\n`;
    mkdirSync(join(stage.machine.state, 'tools'), { recursive: true, mode: 0o700 });
    writeFileSync(tool, greet('Good morning'));
    const recorded = await stage.record([calls(['greet', {}]), ...work], '-y');
    expect(recorded.code, recorded.stderr).toBe(0);
    writeFileSync(tool, greet('Good evening'));
    const settings = join(stage.machine.home, 'rules.json');
    writeFileSync(settings, JSON.stringify({ permissions: { deny: ['Edit(sum.sh)'] } }));
    const { stdout, stderr, code } = await stage.replay('-y', '--settings', settings);
    console.log(`evidence: a changed tool, a changed rule:\n${stdout}`);
    expect(code, stderr).toBe(1);
    expect(stdout, stderr).toContain(
      '≠ Call 1, greet: the tool gives a different result.\n    @@ -1 +1 @@\n    -Good morning\n    +Good evening\n',
    );
    expect(stdout).toContain(
      `≠ Call 4, edit sum.sh: the rules decide differently: allow then (yolo mode allows writing sum.sh), deny now (the rule Edit(sum.sh) (${settings}:1) forbids writing sum.sh).`,
    );
    expect(stdout).toContain('≠ sum.sh is different in the end: its content differs.');
    expect(stdout).toContain('≠ result.txt is different in the end: its content differs.');
    const json = await stage.replay('-y', '--settings', settings, '--json');
    const kinds = (JSON.parse(json.stdout) as { differences: { kind: string }[] }).differences.map(
      ({ kind }) => kind,
    );
    expect(new Set(kinds)).toEqual(new Set(['decision', 'result', 'file']));
  });

  it('asks another model instead and compares what comes of it', async () => {
    const stage = await stageWith(tree);
    await stage.record(work, '-y');
    stage.server.answer(
      calls(['read_file', { absolute_path: 'sum.sh' }]),
      calls(['write_file', { file_path: 'sum.sh', content: 'expr $1 + $2\n' }]),
      says('Done, with expr.'),
    );
    const { stdout, code } = await stage.replay('-y', '--model', 'other-model');
    console.log(`evidence: another model:\n${stdout}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/model +\S+ +other-model\n/);
    expect(stdout).toMatch(/turns +4 +3\n/);
    expect(stdout).toContain('≠ result.txt is different in the end: it is absent now.');
    expect(stdout).toContain('-echo $(($1 + $2))\n    +expr $1 + $2\n');
    expect(stage.at('sum.sh')).toBe('echo $(($1 + $2))\n');
  });

  it('with a packed tree goes anywhere: the same bytes with recorded tools, nothing otherwise with tools that run', async () => {
    const stage = await stageWith(tree);
    await stage.record(work, '-y', '--with-tree');
    const here = await stage.replay('--tools', 'recorded', '--json');
    const elsewhere = createMachine();
    open.push({ close: async () => elsewhere.cleanup() });
    writeFileSync(join(elsewhere.home, 'r.jsonl'), readFileSync(stage.file));
    const there = await elsewhere.run([
      'replay',
      join(elsewhere.home, 'r.jsonl'),
      '--tools',
      'recorded',
      '--json',
    ]);
    expect(there.stdout).toBe(here.stdout);
    expect(JSON.parse(there.stdout)).toMatchObject({ tools: 'recorded', differences: [], calls: 4 });
    expect(readdirSync(elsewhere.state)).toEqual(['cache']);
    const again = await elsewhere.run(['replay', join(elsewhere.home, 'r.jsonl'), '-y']);
    expect(again.stdout, again.stderr).toMatch(/\nEverything is as it was\.\n$/);
    expect(readdirSync(elsewhere.workspace)).toEqual([]);
  });

  it('answers servers, the network, places outside and jobs from the recording, though none of them is there any more', async () => {
    const stage = await stageWith(tree);
    const { command, args } = server.memory;
    const settings = (servers: object): void => {
      mkdirSync(stage.machine.state, { recursive: true, mode: 0o700 });
      writeFileSync(join(stage.machine.state, 'settings.json'), JSON.stringify({ mcpServers: servers }));
    };
    settings({ notes: { command, args } });
    const outside = join(stage.machine.home, 'outside.txt');
    writeFileSync(outside, 'from outside\n');
    const page = createServer((_, response) => response.end('from the network'));
    await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve));
    const { port } = page.address() as AddressInfo;
    const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
    const reaching = [
      calls(['notes__create_entities', { entities: [entity] }], ['notes__search_nodes', { query: 'Ada' }]),
      calls(
        ['run_shell_command', { command: `curl -s http://127.0.0.1:${port}/`, network: true }],
        ['run_shell_command', { command: `cat ${outside}`, outside: { read: [outside] } }],
        ['run_shell_command', { command: 'echo begun; sleep 300', is_background: true }],
        ['save_memory', { fact: 'Ada counts.' }],
      ),
      ...work,
    ];
    const rules = join(stage.machine.home, 'rules.json');
    const allowed = ['Mcp(notes)', 'Shell(cat)', `Outside(read ${outside})`];
    writeFileSync(rules, JSON.stringify({ permissions: { allow: allowed } }));
    await stage.machine.run(['mcp', 'list']);
    const recorded = await stage.record(reaching, '-y', '--settings', rules);
    expect(recorded.code, recorded.stderr).toBe(0);
    const told = readFileSync(stage.file, 'utf8');
    expect(mentions(told, ['from the network', 'from outside', 'Ada'])).toHaveLength(3);
    // Whatever reaches one of them now gets another answer, or leaves a trace.
    await new Promise<void>((resolve) => void page.close(() => resolve()));
    writeFileSync(outside, 'something else\n');
    const canary = join(stage.machine.home, 'canary');
    settings({ notes: { command: '/bin/sh', args: ['-c', `touch ${canary}`], sandbox: 'off' } });
    const before = stage.at('AGENTS.md');
    const { stdout, stderr, code } = await stage.replay('-y', '--settings', rules);
    console.log(`evidence: what was elsewhere:\n${stdout}`);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain('Everything is as it was, as far as it could be compared.');
    for (const tool of ['notes__create_entities', 'notes__search_nodes', 'run_shell_command', 'save_memory'])
      expect(stdout).toMatch(new RegExp(`${tool}.* answered from the recording`));
    expect([existsSync(canary), stage.at('AGENTS.md')]).toEqual([false, before]);
    const json = JSON.parse((await stage.replay('-y', '--settings', rules, '--json')).stdout);
    expect(json.answered).toHaveLength(6);
  });

  it('refuses a folder that is not the recorded one, unless told otherwise', async () => {
    const stage = await stageWith(tree);
    await stage.record(work, '-y');
    stage.machine.write('README.md', 'Something else.\n');
    const refused = await stage.replay('-y');
    expect([refused.code, refused.stderr]).toEqual([
      52,
      'toolwright: The workspace is not as it was when the recording began. These files differ: README.md. Check out the commit of that time, replay in a folder that has it (--workspace), record with --with-tree, or continue anyway with --any-tree.\n',
    ]);
    const nevertheless = await stage.replay('-y', '--any-tree');
    expect(nevertheless.code, nevertheless.stdout).toBe(0);
  });

  it('keeps secrets out of the recording, and approvals, network and places outside out of the replay', async () => {
    const secrets = { apiKey: 'sk-proj-4f9a8b7c6d5e4f3a2b1c', plain: 'correct-horse-battery' };
    const stage = await stageWith(
      { ...tree, '.env': `TOKEN=${secrets.plain}\n`, 'config.txt': `key ${secrets.apiKey}\n` },
      { MY_SERVICE_TOKEN: secrets.plain },
    );
    const canary = join(stage.machine.home, 'canary');
    const hostile = '\u001b]0;owned\u0007\u202eevil';
    const recorded = await stage.record(
      [
        calls(['read_file', { absolute_path: 'config.txt' }]),
        calls(['write_file', { file_path: 'said.txt', content: `${secrets.plain} ${hostile}\n` }]),
        calls(['run_shell_command', { command: `echo ${secrets.plain}; printf '%s' '${hostile}'` }]),
        says(`The key is ${secrets.apiKey}.`),
      ],
      '-y',
      '--with-tree',
    );
    expect(recorded.code, recorded.stderr).toBe(0);
    const text = readFileSync(stage.file, 'utf8');
    const decoded = text.replaceAll(/"bytes":"([^"]*)"/g, (_, bytes) =>
      Buffer.from(bytes, 'base64').toString(),
    );
    expect(mentions(text + decoded, Object.values(secrets))).toEqual([]);
    // Somebody changes the recording: approvals, programs on the network, writes outside, paths that lead out.
    const forged = text
      .replace(
        /"command":"echo[^"]*"/g,
        `"command":"curl http://127.0.0.1:9/ > ${canary}; touch ${canary}","network":true`,
      )
      .replaceAll('"decision":"allow"', '"decision":"ask","outcome":"once"')
      .replaceAll('"read_file"', '"web_fetch"');
    writeFileSync(stage.file, forged);
    const { stdout, stderr } = await stage.replay('--any-tree');
    console.log(`evidence: a hostile recording:\n${stdout}${stderr}`);
    expect(existsSync(canary)).toBe(false);
    expect(mentions(stdout + stderr, ['\u001b', '\u202e', ...Object.values(secrets)])).toEqual([]);
    expect(stdout).toMatch(/web_fetch, was answered from the recording/);
    writeFileSync(stage.file, text.replace('"path":"README.md"', '"path":"../../README.md"'));
    const led = await stage.replay();
    expect([led.code, led.stderr]).toEqual([
      52,
      'toolwright: The recording holds a file with an impossible path: ../../README.md.\n',
    ]);
    writeFileSync(stage.file, '{"v":2,"type":"recording"}\n');
    expect((await stage.replay()).stderr).toMatch(/was recorded by a newer version of Toolwright/);
  });
});
