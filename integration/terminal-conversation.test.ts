import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine } from './program.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('conversation');
const history = (state: string): string[] => {
  const path = join(state, 'history.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).entries : [];
};

flow('the first run asks once whether what another agent has comes over; one key answers', async () => {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  mkdirSync(join(machine.home, '.claude'));
  writeFileSync(join(machine.home, '.claude/CLAUDE.md'), 'Answer in short sentences.\n');
  writeFileSync(join(machine.home, '.claude/settings.json'), '{"permissions": {"deny": ["Read(./.env)"]}}');
  const first = await start({ machine });
  await first.until(() => first.isAsked(), 'the question');
  expect(first.text()).toContain('Import your Claude Code setup?');
  expect(first.text()).toContain('Claude Code: 1 rule, 1 file');
  first.type('y');
  await first.ready();
  expect(first.text()).toMatch(/To import:\n +deny Read\(\.env\)/);
  expect(first.text()).toMatch(/To undo all of it: toolwright undo/);
  expect(readFileSync(join(machine.state, 'AGENTS.md'), 'utf8')).toBe('Answer in short sentences.\n');
  await first.say('show .env');
  expect(first.text()).toMatch(/Read\(\.env\)/);
  first.type(keys.ctrlD);
  await first.ended();
  const second = await start({ machine });
  await second.ready();
  expect(second.text()).not.toContain('Import your');
  await tidy(machine, second);
});

flow('the first run says what was found, the second one only who answers', async () => {
  const first = await start({ columns: 40, rows: 20 });
  await first.ready();
  expect(first.text()).toMatch(/^Found on this machine:\n {2}Model +Offline\. No key is set and/);
  expect(first.text()).toMatch(/Commands +run /);
  expect(first.terminal.lines().length, first.text()).toBeLessThanOrEqual(20);
  await first.say('/stats');
  first.type(keys.ctrlD);
  expect(await first.ended()).toBe(0);
  const second = await start({ machine: first.machine });
  await second.ready();
  expect(second.text()).not.toMatch(/Found on this machine/);
  expect(second.text()).toMatch(/Toolwright with the built-in offline model/);
});

flow('prompt and answer, with a block for the call', async () => {
  const talk = await start({ files: { 'src/a.ts': 'export {}\n', 'src/b.ts': '' } });
  await talk.ready();
  await talk.say('list src');
  const text = talk.text();
  expect(text).toMatch(/^> list src$/m);
  expect(text).toMatch(/^● List src \(2 entries in src\)$/m);
  expect(text).toMatch(/a\.ts[\s\S]*This is the built-in offline model/);
  expect(talk.terminal.unknown).toEqual([]);
});

flow('a prompt of several lines: by backslash, by Alt+Enter, by paste', async () => {
  const talk = await start({ files: { 'a.txt': 'needle\n' } });
  await talk.ready();
  talk.type('one\\\rtwo\x1b\rthree');
  await talk.see('> one\n  two\n  three');
  talk.type(keys.paste(' and\r\nfour\rfive\n'));
  await talk.see('  three and\n  four\n  five');
  talk.type(keys.enter);
  await talk.until(() => history(talk.machine.state).length === 1, 'the history');
  expect(history(talk.machine.state)).toEqual(['one\ntwo\nthree and\nfour\nfive']);
});

flow(
  'arrow keys bring back earlier prompts, also those of an earlier run, without their secrets',
  async () => {
    const first = await start();
    await first.ready();
    await first.say('/tools');
    await first.say('list . with sk-abcdefghijklmnop0123456789');
    first.type(keys.ctrlD);
    await first.ended();
    const second = await start({ machine: first.machine });
    await second.ready();
    second.type(keys.up);
    await second.see('> list . with [redacted]');
    second.type(keys.up);
    await second.see('> /tools');
    second.type(`${keys.down}${keys.down}`);
    await second.ready();
    second.type(`draft${keys.up}${keys.down}`);
    await second.until(() => second.terminal.lines().at(-1) === '> draft', 'the draft');
    expect(history(first.machine.state)).toEqual(['/tools', 'list . with [redacted]']);
  },
);

flow('@path gives the model the file, and a name that is none is sent as written', async () => {
  const model = await startFakeModelServer({ otherwise: { text: 'Understood.' } });
  const talk = await start({
    files: { 'notes/plan.md': 'the plan is simple\n', 'a b.txt': 'blanks\n' },
    env: model.environment(),
  });
  await talk.ready();
  await talk.say('compare @notes/plan.md, @"a b.txt" and @notes/nope.md. Mail me@example.org');
  const text = talk.text();
  expect(text).toMatch(/^● Read notes\/plan\.md, a b\.txt \(2 files, 26 bytes\)$/m);
  expect(text).toMatch(/@notes\/nope\.md\. is not a file or folder here/);
  expect(text).toMatch(/^Understood\.$/m);
  const [request] = model.requests;
  expect(request?.bytes.toString()).toContain('the plan is simple');
  expect(request?.bytes.toString()).toContain('blanks');
  expect(model.requests).toHaveLength(1);
  await model.close();
});

flow('an answer that breaks off stays to be seen, and comes again after a line that says so', async () => {
  const model = await startFakeModelServer({
    answers: [
      { text: 'Half of an answer', afterwards: 'cut' },
      { text: 'Half of an answer, and the rest.' },
      { text: '' },
      { text: '' },
    ],
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  await talk.say('tell me');
  expect(talk.text().replace(/\s+/g, ' ')).toMatch(
    /Half of an answer .*broke off.* The answer starts over in \S+ s \(try 2 of 5\)\. Half of an answer, and the rest\./,
  );
  await talk.say('and now?');
  expect(talk.text().replace(/\s+/g, ' ')).toMatch(
    /gave an empty answer\. Asking once more\. .*It was asked 2 times\. .*Write "go on" to continue\./,
  );
  expect(model.requests).toHaveLength(4);
  await model.close();
});

flow('!command runs it as a call, or says plainly that nothing here can', async () => {
  const talk = await start();
  await talk.ready();
  await talk.say('!echo hel""lo');
  const { stdout } = await talk.machine.run(['tools', 'list']);
  const expected = stdout.includes('run_shell_command')
    ? /^\s*hello$/m
    : /^Running commands is not available in this version\.$/m;
  expect(talk.text()).toMatch(expected);
});

flow('the offline model shows a file as it is, and /memory names commands of the conversation', async () => {
  const talk = await start({
    files: { 'notes.md': '# Title\n\n- one\n', 'AGENTS.md': '## Facts to remember\n\n- Use tabs\n' },
    args: ['--trust'],
  });
  await talk.ready();
  await talk.say('show notes.md');
  expect(talk.text()).toMatch(/^# Title\n\n- one$/m);
  await talk.say('/memory');
  expect(talk.text()).toContain('To remove one: /memory forget NUMBER');
});

flow('/help, /tools, /stats, /memory and a wrong one', async () => {
  const talk = await start({ files: { 'AGENTS.md': 'Be brief.\n' }, args: ['--trust'], rows: 60 });
  await talk.ready();
  for (const line of ['/help latest', '/tools', '/stats', '/memory', '/tolls']) await talk.say(line);
  const text = talk.text();
  expect(text).toMatch(/\/undo \[last\|ID\] +choose a change to undo/);
  expect(text).toMatch(/read_file +Reads/);
  expect(text).toMatch(/Prompts +0, answered in 0 turns/);
  expect(text).toMatch(/Context files for [\s\S]*\n {2}AGENTS\.md {2}10 bytes/);
  expect(text).toMatch(/There is no \/tolls\. Did you mean \/tools\?/);
});

flow('/undo after an edit, and the model hears of it', async () => {
  const args = { file_path: 'a.txt', old_string: 'two', new_string: 'three' };
  const model = await startFakeModelServer({
    answers: [{ calls: [{ name: 'edit', arguments: args }] }, { text: 'Edited.' }, { text: 'I see.' }],
  });
  const talk = await start({
    files: { 'a.txt': 'one\ntwo\n' },
    args: ['--approval-mode', 'auto-edit'],
    env: model.environment(),
  });
  await talk.ready();
  await talk.say('change @a.txt');
  const read = (): string => readFileSync(join(talk.machine.workspace, 'a.txt'), 'utf8');
  expect(read()).toBe('one\nthree\n');
  expect(talk.text()).toMatch(/● Edit a\.txt \+1 -1\n[\s\S]*2 - two\n {2}2 \+ three/);
  await talk.say('/undo last');
  expect(read()).toBe('one\ntwo\n');
  expect(talk.text()).toMatch(/Undone: [^\n]*\. To redo it: \/undo \w+/);
  await talk.say('/undo last');
  expect(talk.text()).toMatch(/There is nothing to undo/);
  await talk.say('/undo list');
  expect(talk.text()).toMatch(/edit: 1 file changed \(undone\)\n {4}a\.txt/);
  await talk.say('go on');
  expect(model.requests.at(-1)?.bytes.toString()).toContain('The user has undone an earlier change');
  await model.close();
});

/** Its cells are long, wide, hostile and empty. */
const listing = `export default {
  apiVersion: 1, name: 'listing', description: 'Lists things.',
  parameters: { type: 'object', properties: { wrong: { type: 'boolean' } } },
  effects: () => [],
  run: ({ wrong }) => ({
    llmContent: 'two things',
    returnDisplay: {
      kind: 'table', title: 'Things', columns: ['name', 'size', 'about'],
      rows: [
        ['日本', 5, 'a red thing that stands in the corner of the room behind the door since yesterday'],
        ['\x1b[2Jplain', 1200, wrong ? new Date() : null],
      ],
    },
  }),
};
`;

flow('a table of a tool is drawn in the terminal, and travels as data in the events', async () => {
  const machine = createMachine();
  mkdirSync(join(machine.state, 'tools'), { recursive: true, mode: 0o700 });
  writeFileSync(join(machine.state, 'tools', 'listing.mjs'), listing);
  const talk = await start({ machine, args: ['--provider', 'offline'], columns: 60 });
  await talk.ready();
  await talk.say('use listing with wrong=false');
  expect(talk.text()).toContain(
    [
      '  Things',
      '  name      │ size │ about',
      '  ──────────┼──────┼───────────────────────────────────────',
      '  日本      │    5 │ a red thing that stands in the corner',
      '            │      │ of the room behind the door since',
      '            │      │ yesterday',
      '  ␛[2Jplain │ 1200 │',
    ].join('\n'),
  );
  await talk.say('use listing with wrong=true');
  expect(talk.text().replace(/\s+/g, ' ')).toContain(
    "failed: The tool listing gave a returnDisplay that can't be shown: rows[1][2] is an object of the class Date",
  );
  const { stdout } = await machine.run([
    ...['-p', 'use listing with wrong=false', '--provider', 'offline', '--output-format', 'stream-json'],
  ]);
  const events = stdout
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row));
  expect(events.find(({ type }) => type === 'call-end').display).toMatchObject({
    kind: 'table',
    rows: [
      ['日本', 5, expect.stringContaining('a red thing')],
      ['\x1b[2Jplain', 1200, null],
    ],
  });
  machine.cleanup();
});
