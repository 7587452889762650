import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect } from 'vitest';
import { createMachine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('typing');

/** The last line of the screen, where the prompt stands or the end of what is under it. */
const last = (talk: Conversation): string => talk.terminal.lines().at(-1) ?? '';
const seeLast = (talk: Conversation, text: string): Promise<void> =>
  talk.until(() => last(talk) === text, `the line ${JSON.stringify(text)}`);

const files = { 'src/app.ts': 'x\n', 'my notes.md': 'y\n', 'dist/app.js': 'z\n', '.gitignore': 'dist\n' };

flow(
  'a menu under @: fuzzy, with folders, without what git ignores; Tab takes, Esc closes and leaves the line',
  async () => {
    const talk = await start({ files });
    await talk.ready();
    talk.type('see @ap');
    await talk.see(/❯ src\/app\.ts/);
    expect(talk.text()).not.toContain('dist/app.js');
    talk.type('\t');
    await seeLast(talk, '> see @src/app.ts');
    talk.type('and @my');
    await talk.see(/❯ my notes\.md/);
    talk.type(keys.enter);
    await seeLast(talk, '> see @src/app.ts and @my\\ notes.md');
    talk.type('@sr');
    await talk.see(/❯ src\//);
    talk.type(keys.escape);
    await seeLast(talk, '> see @src/app.ts and @my\\ notes.md @sr');
  },
);

flow('a menu under /: Enter runs what is chosen, unknown ones answer with the nearest', async () => {
  const talk = await start();
  await talk.ready();
  talk.type('/cst');
  await talk.see(/❯ \/cost +show what this conversation has cost/);
  talk.type(keys.enter);
  await talk.see(/Cost +free: the offline model runs locally/);
  await talk.ready();
  await talk.say('/modle');
  expect(talk.text()).toMatch(/There is no \/modle\. Did you mean \/mode/);
});

flow(
  'Ctrl+R finds a prompt of an earlier run, Esc leaves the draft; the kill ring and undo work',
  async () => {
    const machine = createMachine();
    const entries = Array.from({ length: 10_000 }, (_, at) => `prompt number ${at}`);
    machine.write('../home/.toolwright/history.json', JSON.stringify({ v: 1, entries }));
    const talk = await start({ machine });
    await talk.ready();
    talk.type('a draft\x12');
    await talk.see(/Earlier prompts[\s\S]*❯ prompt number 9999/);
    talk.type('number 1234');
    await talk.see(/❯ prompt number 1234/);
    talk.type(keys.escape);
    await seeLast(talk, '> a draft');
    talk.type('\x12777 8');
    await talk.see(/❯ prompt number 8777/);
    talk.type(keys.enter);
    await seeLast(talk, '> prompt number 8777');
    talk.type('\x17\x17\x19');
    await seeLast(talk, '> prompt number 8777');
    talk.type(keys.ctrlC);
    await talk.ready();
    talk.type('\x1f');
    await seeLast(talk, '> prompt number 8777');
    await tidy(machine, talk);
  },
);

flow(
  'a long paste is one token that Ctrl+O opens; the model gets all of it, and a dropped image',
  async () => {
    const model = await startFakeModelServer({ otherwise: { text: 'Seen.' } });
    const machine = createMachine();
    const picture = join(machine.workspace, '..', 'shot.png');
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(picture, Buffer.from(png, 'base64'));
    const talk = await start({ machine, env: model.environment() });
    await talk.ready();
    const pasted = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`).join('\n');
    talk.type(`read ${keys.paste(pasted)}`);
    await seeLast(talk, '> read [Pasted text #1, 12 lines]');
    talk.type(`${keys.paste(picture)}`);
    await talk.see(/\[Image #2: shot\.png\]/);
    talk.type(keys.enter);
    await talk.see('Seen.');
    await talk.ready();
    const sent = model.requests.at(-1)?.bytes.toString() ?? '';
    expect(sent).toContain('line 11\\nline 12');
    expect(sent).toMatch(/image\/png/);
    talk.type(`${keys.paste(pasted)}\x0f`);
    await talk.see(/\n {2}line 11\n {2}line 12$/);
    await model.close();
    await tidy(machine, talk);
  },
);

flow('Ctrl+G opens the prompt in the editor, and #fact saves a memory where the user says', async () => {
  const machine = createMachine();
  const editor = join(machine.workspace, '..', 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\nprintf "%s and more" "$(cat "$1")" > "$1"\n');
  chmodSync(editor, 0o755);
  const talk = await start({ machine, env: { EDITOR: editor } });
  await talk.ready();
  talk.type('begun\x07');
  await seeLast(talk, '> begun and more');
  talk.type(`${keys.ctrlC}#tests run with make${keys.enter}`);
  await talk.see(/Remember: tests run with make[\s\S]*❯ In this project/);
  talk.type(keys.enter);
  await talk.see(/Remembered in AGENTS\.md: tests run with make/);
  expect(readFileSync(join(machine.workspace, 'AGENTS.md'), 'utf8')).toContain('tests run with make');
  await tidy(machine, talk);
});

flow('what was typed survives a resize and a kill', async () => {
  const machine = createMachine();
  const first = await start({ machine });
  await first.ready();
  first.type('half a thought');
  first.resize(60, 20);
  await seeLast(first, '> half a thought');
  const drafts = join(machine.state, 'drafts.json');
  const isKept = (): boolean => existsSync(drafts) && readFileSync(drafts, 'utf8').includes('half a thought');
  await first.until(isKept, 'the draft on disk');
  process.kill(first.pid, 'SIGKILL');
  await first.ended();
  const second = await start({ machine });
  await second.see(/> half a thought/);
  await tidy(machine, second);
});

flow('the keys that move and erase by word and line, yank, undo and clear the screen', async () => {
  const talk = await start();
  await talk.ready();
  const steps: [typed: string, line: string][] = [
    ['one two three', '> one two three'],
    ['\x01A\x05Z', '> Aone two threeZ'],
    ['\x1bbx', '> Aone two xthreeZ'],
    ['\x1b[1;5Dy', '> Aone two yxthreeZ'],
    ['\x1b[1;5D\x1b[1;5Cz', '> Aone two yxthreeZz'],
    ['\x01\x1bd', '>  two yxthreeZz'],
    ['\x1bf\x0b', '>  two'],
    ['\x19', '>  two yxthreeZz'],
    ['\x1by', '>  twoAone'],
    ['\x1f', '>  two'],
    ['\x15', '>'],
    ['\x19', '>  two'],
    ['\x17w\x0c', '>  w'],
  ];
  for (const [typed, line] of steps) {
    talk.type(typed);
    await seeLast(talk, line);
  }
  expect(talk.terminal.lines().length).toBeLessThan(10);
});

flow('the keys of vim, where the settings ask for them', async () => {
  const machine = createMachine();
  machine.write('../home/.toolwright/settings.json', '{"ui": {"vim": true}}');
  const talk = await start({ machine });
  await talk.ready();
  talk.type('list here');
  talk.type(keys.escape);
  await seeLast(talk, ': list here');
  talk.type('bcw.');
  await seeLast(talk, '> list .');
  talk.type(keys.enter);
  await talk.see(/This is the built-in offline model/);
  await tidy(machine, talk);
});

flow(
  'where nothing is redrawn: Tab completes by any letters, lists are numbered, ? and a number says more',
  async () => {
    const machine = createMachine({ ...files, 'src/apple.ts': 'x\n' });
    const talk = await start({ machine, env: { TERM: 'dumb' } });
    const says = (text: string): Promise<void> => talk.until(() => talk.raw().endsWith(text), text);
    await says('> ');
    talk.type('see @nts\t');
    await says('> see @my\\ notes.md ');
    talk.type('@sap\t');
    await talk.until(() => talk.raw().includes('  2  src/apple.ts'), 'the files');
    talk.type('2\r');
    await says('> see @my\\ notes.md @src/apple.ts ');
    talk.type('\x15/cst\t');
    await says('> /cost ');
    talk.type("\x15replace 'x' with 'q' in src/app.ts\r");
    await talk.until(talk.isAsked, 'the question');
    await new Promise((resolve) => setTimeout(resolve, 300));
    talk.type('y\r');
    await talk.until(() => readFileSync(join(machine.workspace, 'src/app.ts'), 'utf8') === 'q\n', 'the edit');
    await says('> ');
    talk.type('/undo\r');
    await talk.until(() => talk.raw().includes('? and a number says more'), 'the list');
    talk.type('?1\r');
    await talk.see(/^1 - q\n1 \+ x$/m);
    talk.type('1\r');
    await talk.until(() => talk.raw().includes('Undone'), 'the undo');
    await says('> ');
    talk.type('/mode\r');
    await talk.until(() => talk.raw().includes('  1  plan'), 'the modes');
    talk.type('1\r');
    await talk.until(() => talk.raw().includes('Approval mode plan'), 'the mode');
    talk.type('\x12');
    await talk.until(() => talk.raw().includes('Earlier prompts'), 'the search');
    talk.type('mode\r1\r');
    await says('> /mode');
    expect(talk.raw()).not.toContain('\x1b');
    await tidy(machine, talk);
  },
);
