import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('approval');
const QUESTION = '? Edit a.txt';
const change = "replace 'two' with 'three' in a.txt";

const read = (talk: Conversation, path = 'a.txt'): string =>
  readFileSync(join(talk.machine.workspace, path), 'utf8');

/** The question is there and can be answered. */
async function asked(talk: Conversation): Promise<void> {
  await talk.until(() => talk.isAsked(), 'a question');
}

async function startAsking(env: Record<string, string> = {}): Promise<Conversation> {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' }, env });
  await talk.ready();
  talk.type(`${change}\r`);
  await asked(talk);
  return talk;
}

flow('approve once: the question shows the diff first, and always shows the exact rules', async () => {
  const talk = await startAsking();
  const text = talk.text();
  expect(text).toContain(QUESTION);
  expect(text).toMatch(/\? Edit a\.txt \+1 -1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ three\n\n {2}y yes/);
  expect(text).not.toContain('Asked because');
  talk.type('a');
  await talk.see(/1 {2}changes to a\.txt {2}Edit\(a\.txt\)/);
  await talk.see(/s for this session {3}l no limit {3}Esc back/);
  for (const limit of ['10 more calls', '30 minutes', '1 hour', '1 day', '7 days', 'no limit']) {
    talk.type('l');
    await talk.see(`l ${limit} `);
  }
  talk.type(keys.escape);
  await talk.see(/^ {2}y yes/m);
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('y');
  await talk.ready();
  expect(read(talk)).toBe('one\nthree\n');
  // The change that was agreed to stays in the transcript.
  expect(talk.text()).toMatch(/● Edit a\.txt \+1 -1\n {2}1 {3}one\n {2}2 - two/);
  // Next time it is asked again.
  talk.type("replace 'three' with 'four' in a.txt\r");
  await asked(talk);
  talk.type('n\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthree\n');
  expect(talk.text()).toMatch(/You said no\./);
});

flow('Enter alone, a paste and what is no answer do nothing', async () => {
  const talk = await startAsking();
  const before = talk.text();
  talk.type(`\rmbx 1?${keys.paste('y\r\n')}`);
  // A word that somebody types on has an answer inside it.
  for (const letter of 'key') talk.type(letter);
  await new Promise((resolve) => setTimeout(resolve, 400));
  // A hint would come at once; what comes is the page of the next key.
  talk.type('n');
  await talk.see('No, because:');
  talk.type(keys.escape);
  await asked(talk);
  expect(talk.text()).toBe(before);
  expect(read(talk)).toBe('one\ntwo\n');
});

flow('always, for this session, up to the limit that was chosen', async () => {
  const talk = await startAsking();
  talk.type('al1');
  await talk.ready();
  await talk.say('/permissions');
  expect(talk.text()).toMatch(/Edit\(a\.txt\).*10 more calls/);
  await talk.say("replace 'three' with 'four' in a.txt");
  expect(read(talk)).toBe('one\nfour\n');
  expect(existsSync(join(talk.machine.state, 'grants.json'))).toBe(false);
});

flow('always, saved: the next run does not ask', async () => {
  const talk = await startAsking();
  talk.type('as1');
  await talk.ready();
  talk.type(keys.ctrlD);
  await talk.ended();
  expect(readFileSync(join(talk.machine.state, 'grants.json'), 'utf8')).toContain('Edit(a.txt)');
  const next = await start({ machine: talk.machine });
  await next.ready();
  await next.say("replace 'three' with 'four' in a.txt");
  expect(read(next)).toBe('one\nfour\n');
});

flow('refuse with a reason, which reaches the model', async () => {
  const model = await startFakeModelServer({
    answers: [
      { calls: [{ name: 'write_file', arguments: { file_path: 'new.txt', content: 'x\n' } }] },
      { text: 'As you wish.' },
    ],
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('write something\r');
  await asked(talk);
  talk.type('nuse the docs folder instead\r');
  await talk.ready();
  expect(talk.text()).toMatch(/You said no: use the docs folder instead/);
  expect(talk.text()).toMatch(/^As you wish\.$/m);
  expect(model.requests[1]?.bytes.toString()).toContain(
    'The user refused this call: use the docs folder instead',
  );
  expect(existsSync(join(talk.machine.workspace, 'new.txt'))).toBe(false);
  await model.close();
});

flow('modify in $EDITOR: what was written there is shown, then kept', async () => {
  const editor = await start({ shell: 'true' });
  const script = join(editor.machine.home, 'my editor');
  writeFileSync(script, '#!/bin/sh\n[ -t 0 ] || exit 9\nsed -i s/three/thirty/ "$1"\n');
  chmodSync(script, 0o755);
  const talk = await startAsking({ EDITOR: `'${script}'` });
  talk.type('e');
  await talk.see(/\+ thirty/);
  await asked(talk);
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('y\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthirty\n');
});

flow('an editor that fails or changes nothing leads back to the question', async () => {
  const failing = await startAsking({ EDITOR: 'false' });
  failing.type('e');
  await failing.see(/false ended with status 1[\s\S]*Nothing was\s+changed\./);
  await asked(failing);
  expect(read(failing)).toBe('one\ntwo\n');
  const idle = await startAsking({ EDITOR: 'true' });
  idle.type('e');
  await idle.see(/Nothing was changed in the editor/);
  await asked(idle);
  idle.type('y\r');
  await idle.ready();
  expect(read(idle)).toBe('one\nthree\n');
});

flow('what is typed ahead never answers a question', async () => {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' } });
  await talk.ready();
  talk.type(`${change}\ryy`);
  await asked(talk);
  expect(talk.text()).toContain(QUESTION);
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('y');
  await talk.see(/Edited a\.txt/);
  // Text typed ahead waits at the prompt instead.
  await talk.until(() => talk.terminal.lines().at(-1) === '> yy', 'the draft');
  expect(read(talk)).toBe('one\nthree\n');
});

flow('more than a screen is scrolled inside the question and takes a deliberate yes', async () => {
  const content = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join('\\n');
  const talk = await start({ rows: 24 });
  await talk.ready();
  talk.type(keys.paste(`write '${content}' to long.txt`));
  talk.type('\r');
  await asked(talk);
  const seen = talk.text().match(/^ +\d+ \+ line \d+$/gm) ?? [];
  expect(seen.length).toBeGreaterThanOrEqual(10);
  expect(talk.text()).toMatch(/\d+ more lines, 1-\d+ of 200 /);
  talk.type('y');
  await talk.see('Type yes to agree:');
  talk.type('\r');
  await talk.see('Type yes to agree, or press Esc.');
  expect(existsSync(join(talk.machine.workspace, 'long.txt'))).toBe(false);
  talk.type(keys.escape);
  await asked(talk);
  talk.type('\x1b[F');
  await talk.see(/the end, \d+-200 of 200/);
  expect(talk.text()).toContain('+ line 200');
  talk.type('y');
  await talk.ready();
  expect(existsSync(join(talk.machine.workspace, 'long.txt'))).toBe(true);
  // The accepted command is folded, and can be unfolded.
  expect(talk.text()).toMatch(/… \d+ more lines \(Ctrl\+O shows all\)/);
  talk.type('\x0f');
  await talk.see(/199 \+ line 199\n +200 \+ line 200/);
});

flow('three edits are asked about in call order, and one key says yes to all of them', async () => {
  const names = ['a.txt', 'b.txt', 'c.txt'];
  const edits = names.map((file_path) => ({
    name: 'edit',
    arguments: { file_path, old_string: 'one', new_string: 'two' },
  }));
  const reads = names.map((absolute_path) => ({ name: 'read_file', arguments: { absolute_path } }));
  const model = await startFakeModelServer({
    answers: [{ calls: reads }, { calls: edits }, { text: 'Changed.' }],
  });
  const files = Object.fromEntries(names.map((name) => [name, 'one\n']));
  const talk = await start({ files, env: model.environment() });
  await talk.ready();
  talk.type('change them\r');
  await asked(talk);
  expect(talk.text()).toMatch(/\? Edit a\.txt \+1 -1 \(1 of 3\)/);
  expect(talk.text()).toMatch(/Then: Edit b\.txt \+1 -1, Edit c\.txt \+1 -1/);
  talk.type('y');
  await talk.see(/\? Edit b\.txt \+1 -1 \(2 of 3\)/);
  await asked(talk);
  expect(talk.text()).toContain('t yes to these 2');
  talk.type('t');
  await talk.see(/^Changed\.$/m);
  for (const name of names) expect(read(talk, name)).toBe('two\n');
  await model.close();
});

for (const reflow of [false, true])
  flow(
    `resizing at a question leaves no copy of it (a terminal that ${reflow ? 'breaks lines anew' : 'keeps its lines'})`,
    async () => {
      const words = 'some words to wrap '.repeat(4);
      const env: Record<string, string> = reflow ? {} : { XTERM_VERSION: 'XTerm(390)' };
      const talk = await start({ files: { 'a.txt': `one\n${words}\ntwo\n` }, env });
      await talk.ready();
      talk.type(`${change}\r`);
      await asked(talk);
      for (const [columns, rows] of [
        [50, 20],
        [40, 20],
        [100, 30],
      ] as const) {
        talk.resize(columns, rows, { reflow });
        const rule = talk.raw().length;
        await talk.until(() => talk.raw().length > rule && talk.isAsked(), 'the question drawn anew');
        expect(talk.text().match(/\? Edit a\.txt/g)).toHaveLength(1);
        expect(talk.text().match(/y yes/g)).toHaveLength(1);
      }
      talk.type('y');
      await talk.ready();
      expect(talk.text()).not.toContain('? Edit a.txt');
    },
  );

flow('in tmux, resizing at a question leaves no copy of it, and takes no line from above it', async () => {
  const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'one\n' } };
  const model = await startFakeModelServer({ answers: [{ text: 'Now this:', calls: [write, write] }] });
  const env = { ...model.environment(), TMUX: '/tmp/tmux-0/default,1,0' };
  const talk = await start({ env });
  await talk.ready();
  talk.type('change it please, as we said before, and keep the rest of the file as it is\r');
  await talk.until(() => talk.isAsked(), 'the question');
  for (const [columns, rows] of [
    [40, 20],
    [120, 40],
    [80, 24],
  ] as const) {
    const from = talk.raw().length;
    talk.resize(columns, rows, { reflow: true });
    await talk.until(() => talk.raw().length > from && talk.isAsked(), 'the question drawn anew');
    expect(talk.text()).toMatch(/\nNow this:\n\n\? Create a\.txt/);
    expect(talk.text().match(/y yes/g)).toHaveLength(1);
  }
  await model.close();
});

flow(
  'Esc at a question cancels that call alone: the others are asked about, and the model goes on',
  async () => {
    const write = (file_path: string) => ({ name: 'write_file', arguments: { file_path, content: 'x\n' } });
    const calls = ['a.txt', 'b.txt', 'c.txt'].map(write);
    const model = await startFakeModelServer({ answers: [{ calls }, { text: 'Going on.' }] });
    const talk = await start({ env: model.environment() });
    await talk.ready();
    talk.type('write them\r');
    await talk.see(/\? Create a\.txt \+1 -0 \(1 of 3\)/);
    await asked(talk);
    talk.type(keys.escape);
    await talk.see(/● Create a\.txt \+1 -0\n {2}Cancelled\./);
    await talk.see(/\? Create b\.txt \+1 -0 \(2 of 3\)/);
    await asked(talk);
    talk.type('y');
    await talk.see(/\? Create c\.txt \+1 -0 \(3 of 3\)/);
    await asked(talk);
    talk.type(keys.escape);
    await talk.see(/^Going on\.$/m);
    expect(['a.txt', 'b.txt', 'c.txt'].map((name) => existsSync(join(talk.machine.workspace, name)))).toEqual(
      [false, true, false],
    );
    await model.close();
  },
);

flow('Esc twice at a question cancels the turn', async () => {
  const write = (file_path: string) => ({ name: 'write_file', arguments: { file_path, content: 'x\n' } });
  const model = await startFakeModelServer({ answers: [{ calls: [write('a.txt'), write('b.txt')] }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('write them\r');
  await asked(talk);
  talk.type(keys.escape);
  await talk.see(/\(2 of 2\)/);
  talk.type(keys.escape);
  await talk.ready();
  expect(talk.text()).toMatch(/^Cancelled\.$/m);
  expect(model.requests).toHaveLength(1);
  await model.close();
});

flow(
  '-p on a terminal asks the same question, in colours, and draws what was agreed to, or the no',
  async () => {
    const edit = (absolute_path: string, content: string) => ({
      name: 'write_file',
      arguments: { file_path: absolute_path, content },
    });
    const calls = [edit('a.ts', 'const a = 1;\n'), edit('b.ts', 'const b = 2;\n')];
    const model = await startFakeModelServer({ answers: [{ calls }, { text: 'Going on.' }] });
    const talk = await start({ env: model.environment(), args: ['-p', 'write them'] });
    await talk.see(/\? Create a\.ts \+1 -0 \(1 of 2\)/);
    await asked(talk);
    expect(talk.raw()).toMatch(/\x1b\[[0-9;]*35[0-9;]*mconst\x1b/);
    talk.type('y');
    await talk.see(/\? Create b\.ts \+1 -0 \(2 of 2\)/);
    await asked(talk);
    // The second question is whole: what the first call did is drawn once it is gone.
    expect(talk.text()).not.toContain('● Create a.ts');
    talk.type('nkeep it\r');
    expect(await talk.ended()).toBe(0);
    expect(talk.text()).toMatch(/● Create a\.ts \+1 -0\n {2}1 \+ const a = 1;/);
    expect(talk.text()).toMatch(/● Create b\.ts \+1 -0\n {2}You said no: keep it/);
    expect(talk.text()).toMatch(/^Going on\.$/m);
    expect(read(talk, 'a.ts')).toBe('const a = 1;\n');
    await model.close();
  },
);

flow('tools run on a terminal asks it too, and Ctrl+C there cancels the run', async () => {
  const args = ['tools', 'run', 'write_file', '--args', '{"file_path":"x.txt","content":"x"}'];
  const refused = await start({ args });
  await asked(refused);
  expect(refused.text()).toContain('? Create x.txt +1 -0');
  refused.type('n\r');
  expect(await refused.ended()).toBe(1);
  expect(refused.text()).toMatch(/^You said no\.$/m);
  const cancelled = await start({ args });
  await asked(cancelled);
  cancelled.type(keys.ctrlC);
  expect(await cancelled.ended()).toBe(130);
  expect(existsSync(join(cancelled.machine.workspace, 'x.txt'))).toBe(false);
});
