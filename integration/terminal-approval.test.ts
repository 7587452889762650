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
  await talk.until(() => talk.terminal.lines().at(-1) === '?', 'a question');
}

async function startAsking(env: Record<string, string> = {}): Promise<Conversation> {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' }, env });
  await talk.ready();
  talk.type(`${change}\r`);
  await asked(talk);
  return talk;
}

flow('approve once: the question shows the diff, the effect, the reason and the exact rules', async () => {
  const talk = await startAsking();
  const text = talk.text();
  expect(text).toContain(QUESTION);
  expect(text).toMatch(/-two\n {4}\+three/);
  expect(text).toMatch(/a1 {2}yes, and allow changes to a\.txt for this session: rule Edit\(a\.txt\)/);
  expect(text).toMatch(/s1 {2}the same, saved/);
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('y\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthree\n');
  expect(talk.text()).toMatch(/→ yes, this once/);
  // Next time it is asked again.
  talk.type("replace 'three' with 'four' in a.txt\r");
  await asked(talk);
  talk.type('no\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthree\n');
});

flow('Enter alone and what is no answer approve nothing', async () => {
  const talk = await startAsking();
  talk.type('\r');
  await talk.see(/Please answer with one of: y, a1, s1, a2, s2, e, (?:w, )?n\./);
  talk.type('maybe\r');
  await talk.until(() => talk.terminal.lines().at(-1)?.startsWith('Please answer') ?? false, 'the hint');
  expect(read(talk)).toBe('one\ntwo\n');
  // Nothing of it is left in the line for the next answer.
  talk.type('n\r');
  await talk.ready();
  expect(read(talk)).toBe('one\ntwo\n');
});

flow('always, for this session', async () => {
  const talk = await startAsking();
  talk.type('a1\r');
  await talk.ready();
  await talk.say("replace 'three' with 'four' in a.txt");
  expect(read(talk)).toBe('one\nfour\n');
  expect(existsSync(join(talk.machine.state, 'grants.json'))).toBe(false);
});

flow('always, saved: the next run does not ask', async () => {
  const talk = await startAsking();
  talk.type('s1\r');
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
  talk.type('n use the docs folder instead\r');
  await talk.ready();
  expect(talk.text()).toMatch(/→ no: use the docs folder instead/);
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
  talk.type('e\r');
  await talk.see(/\+thirty/);
  await asked(talk);
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('y\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthirty\n');
});

flow('an editor that fails or changes nothing leads back to the question', async () => {
  const failing = await startAsking({ EDITOR: 'false' });
  failing.type('e\r');
  await failing.see(/false ended with status 1[\s\S]*Nothing was\s+changed\./);
  await asked(failing);
  expect(read(failing)).toBe('one\ntwo\n');
  const idle = await startAsking({ EDITOR: 'true' });
  idle.type('e\r');
  await idle.see(/Nothing was changed in the editor/);
  await asked(idle);
  idle.type('y\r');
  await idle.ready();
  expect(read(idle)).toBe('one\nthree\n');
});

flow('what is typed ahead never answers a question', async () => {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' } });
  await talk.ready();
  talk.type(`${change}\ry\ry\r`);
  await asked(talk);
  expect(talk.text()).toContain(QUESTION);
  expect(read(talk)).toBe('one\ntwo\n');
  expect(talk.text()).not.toMatch(/→/);
  talk.type('y\r');
  await talk.see(/Edited a\.txt/);
  // What was typed ahead waits at the prompt instead.
  await talk.until(() => talk.terminal.lines().at(-1) === '> yy', 'the draft');
  expect(read(talk)).toBe('one\nthree\n');
});

flow('a pasted answer does not press Enter', async () => {
  const talk = await startAsking();
  talk.type(keys.paste('y\r\n'));
  await talk.until(() => talk.terminal.lines().at(-1) === '? y', 'the pasted letter');
  expect(read(talk)).toBe('one\ntwo\n');
  talk.type('\r');
  await talk.ready();
  expect(read(talk)).toBe('one\nthree\n');
});

flow('more than a screen says how much is hidden, and Enter means no', async () => {
  const content = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join('\\n');
  const talk = await start({ rows: 30 });
  await talk.ready();
  talk.type(keys.paste(`write '${content}' to long.txt`));
  talk.type('\r');
  await asked(talk);
  const hidden = Number(
    /(\d+) more lines are hidden: v shows them\. Enter alone means no\./.exec(talk.text())?.[1],
  );
  expect(hidden).toBeGreaterThan(150);
  expect(talk.text()).not.toContain('+line 200');
  talk.type('v\r');
  await talk.see(/\+line 200/);
  await asked(talk);
  talk.type('\r');
  await talk.ready();
  expect(talk.text()).toMatch(/→ no/);
  expect(existsSync(join(talk.machine.workspace, 'long.txt'))).toBe(false);
});

flow('Esc at a question cancels the turn', async () => {
  const talk = await startAsking();
  talk.type(keys.escape);
  await talk.ready();
  expect(talk.text()).toMatch(/→ cancelled[\s\S]*Cancelled\./);
  expect(read(talk)).toBe('one\ntwo\n');
});

flow('-p on a terminal asks the same question', async () => {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' }, args: ['-p', change] });
  await asked(talk);
  talk.type('y\r');
  expect(await talk.ended()).toBe(0);
  expect(talk.text()).toMatch(/→ yes, this once/);
  expect(read(talk)).toBe('one\nthree\n');
});

flow('tools run on a terminal asks it too, and Ctrl+C there cancels the run', async () => {
  const args = ['tools', 'run', 'write_file', '--args', '{"file_path":"x.txt","content":"x"}'];
  const refused = await start({ args });
  await asked(refused);
  expect(refused.text()).toContain('? Create x.txt +1 -0');
  refused.type('n\r');
  expect(await refused.ended()).toBe(1);
  const cancelled = await start({ args });
  await asked(cancelled);
  cancelled.type(keys.ctrlC);
  expect(await cancelled.ended()).toBe(130);
  expect(existsSync(join(cancelled.machine.workspace, 'x.txt'))).toBe(false);
});
