import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect } from 'vitest';
import { createMachine } from './program.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('slash commands');
const shiftTab = '\x1b[Z';

/** Programs of a desktop in a folder before all others of PATH. */
function desktopPrograms(folder: string, programs: Record<string, string>): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}`, WAYLAND_DISPLAY: 'wayland-0' };
}

flow(
  'Shift+Tab goes through plan, default, auto-edit and yolo; /mode lists them with apart beside; /clear keeps the choice',
  async () => {
    const model = await startFakeModelServer({ otherwise: { text: 'Answer.' } });
    const talk = await start({ env: model.environment(), rows: 40 });
    await talk.ready();
    for (const mode of ['auto-edit', 'yolo', 'plan', 'default', 'auto-edit']) {
      talk.type(shiftTab);
      await talk.see(new RegExp(`fake-model · ${mode} ·[^\\n]*\\n>\\nApproval mode ${mode}: [^\\n]+\\.$`));
    }
    talk.type('a draft/mode');
    talk.type(`${keys.ctrlC}/mode\r`);
    await talk.see(
      /❯ auto-edit \* +change files in this folder without asking\n {2}yolo +[^\n]+\n {2}apart +beside the mode/,
    );
    talk.type(keys.escape);
    await talk.ready();
    await talk.say('hello');
    await talk.say('/clear');
    await talk.see(/A new conversation has begun[\s\S]*approval\s+mode\s+auto-edit\./);
    await talk.ready();
    await talk.say('/mode paln');
    expect(talk.text()).toMatch(/There is no mode paln\. Did you mean plan\?/);
    await model.close();
  },
);

flow(
  '/copy gives the last answer to the clipboard, /export writes the conversation, /init has the model look around',
  async () => {
    const machine = createMachine();
    const clipboard = join(machine.home, 'clipboard');
    const desktop = desktopPrograms(join(machine.home, 'bin'), { 'wl-copy': `cat > ${clipboard}` });
    const model = await startFakeModelServer({ otherwise: { text: 'The **answer**.' } });
    const talk = await start({ machine, env: { ...model.environment(), ...desktop } });
    await talk.ready();
    await talk.say('/copy');
    expect(talk.text()).toContain('There is no answer to copy yet.');
    await talk.say('/export talk.md');
    expect(talk.text()).toContain('Nothing has been said yet.');
    await talk.say('a question');
    await talk.say('/copy');
    expect(talk.text()).toContain('Copied: 15 characters.');
    expect(readFileSync(clipboard, 'utf8')).toBe('The **answer**.');
    await talk.say('/export talk.md');
    expect(talk.text()).toContain('Saved as talk.md.');
    expect(readFileSync(join(machine.workspace, 'talk.md'), 'utf8')).toMatch(
      /a question[\s\S]*The \*\*answer\*\*\./,
    );
    await talk.say('/export talk.md');
    expect(talk.text()).toContain('talk.md already exists; give another name: /export FILE');
    await talk.say('/init');
    expect(model.requests.at(-1)?.bytes.toString()).toContain('Look through this folder and write AGENTS.md');
    await model.close();
    await tidy(machine, talk);
  },
);

flow('/copy through the terminal where there is no desktop; /init and /doctor without a model', async () => {
  const machine = createMachine();
  const talk = await start({ machine, rows: 40 });
  await talk.ready();
  await talk.say('list .');
  await talk.say('/copy');
  expect(talk.text()).toMatch(/Sent to the terminal for its clipboard: \d+ characters/);
  const sent = /\x1b\]52;c;([\w+/=]+)\x07/.exec(talk.raw())?.[1] ?? '';
  expect(Buffer.from(sent, 'base64').toString()).toContain('This is the built-in offline model');
  await talk.say('/init');
  expect(talk.text()).toMatch(
    /made {7}AGENTS\.md[\s\S]*With a model \(\/connect\) \/init has it look around/,
  );
  expect(existsSync(join(machine.workspace, 'AGENTS.md'))).toBe(true);
  await talk.say('/doctor');
  expect(talk.text()).toMatch(/ok +Node: v[\s\S]*ok +State folder: works[\s\S]*ok +Undo: works/);
  await tidy(machine, talk);
});

flow(
  '/add-dir lets the file tools work in another folder, /trust lets the context file count; nothing is said twice',
  async () => {
    const machine = createMachine({ 'AGENTS.md': 'Say zebra.\n' });
    const other = join(machine.workspace, '..', 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'far.txt'), 'far away\n');
    const read = { name: 'read_file', arguments: { absolute_path: join(other, 'far.txt') } };
    const model = await startFakeModelServer({
      answers: [{ text: 'First.' }, { calls: [read] }, { text: 'Second.' }],
      otherwise: { text: 'Later.' },
    });
    const talk = await start({ machine, env: model.environment(), rows: 50 });
    await talk.see(/The model would follow these as instructions: AGENTS\.md/);
    await talk.until(talk.isAsked, 'the question');
    talk.type(keys.escape);
    await talk.see(
      /AGENTS\.md of this folder is read only as data[\s\S]*\/trust makes the model follow it\./,
    );
    await talk.ready();
    await talk.say('one');
    expect(model.requests.at(-1)?.bytes.toString()).toContain('untrusted=');
    await talk.say('/add-dir ../nowhere');
    expect(talk.text()).toMatch(/nowhere can't be used: it does not\s+exist/);
    await talk.say('/add-dir ../other');
    expect(talk.text()).toMatch(/The file tools may work in \S+other too, in this\s+conversation/);
    await talk.say('two');
    expect(model.requests.at(-1)?.bytes.toString()).toContain('far away');
    talk.type('/trust\r');
    await talk.until(talk.isAsked, 'the question');
    await new Promise((resolve) => setTimeout(resolve, 300));
    talk.type('y');
    await talk.see(/This folder is trusted, and its files are in effect/);
    await talk.ready();
    await talk.say('three');
    const sent = model.requests.at(-1)?.bytes.toString();
    expect(sent).toContain('Say zebra.');
    expect(sent).toContain('Second.');
    expect(sent).not.toContain('untrusted=');
    expect(talk.text().match(/First\./g)).toHaveLength(1);
    await model.close();
    await tidy(machine, talk);
  },
);

flow(
  'a kill in the middle of a command: -c goes on with the latest conversation and names what was interrupted',
  async () => {
    const machine = createMachine();
    const slow = { name: 'run_shell_command', arguments: { command: 'echo begun; sleep 60' } };
    const model = await startFakeModelServer({ answers: [{ calls: [slow] }], otherwise: { text: 'Later.' } });
    const talk = await start({ machine, env: model.environment() });
    await talk.ready();
    talk.type('run it\r');
    await talk.see(/^ {2}begun$/m);
    process.kill(talk.pid, 'SIGKILL');
    await talk.ended();
    const again = await start({ machine, args: ['-c'], env: model.environment() });
    await again.see(
      /> run it\n[\s\S]*- Run `?echo begun; sleep 60[\s\S]*still running when the session broke off: Run `?echo begun/,
    );
    await again.see(/Continuing an earlier session/);
    await again.ready();
    await again.say('and now?');
    expect(model.requests.at(-1)?.bytes.toString()).toContain('interrupted');
    await model.close();
    await tidy(machine, talk, again);
  },
);

flow('Ctrl+V pastes the image of the clipboard; without one a line says what would do it', async () => {
  const machine = createMachine();
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = join(machine.home, 'shot.png');
  const desktop = desktopPrograms(join(machine.home, 'bin'), { 'wl-paste': `cat ${image}` });
  const model = await startFakeModelServer({ otherwise: { text: 'Seen.' } });
  const talk = await start({ machine, env: { ...model.environment(), ...desktop } });
  await talk.ready();
  talk.type('see \x16');
  await talk.see(/No image could be read from the clipboard \(tried: wl-paste or xclip\)/);
  writeFileSync(image, Buffer.from(png, 'base64'));
  talk.type('\x16');
  await talk.see(/> see \[Image #1\]/);
  talk.type(keys.enter);
  await talk.see('Seen.');
  expect(model.requests.at(-1)?.bytes.toString()).toContain('data:image/png;base64,');
  expect(readdirSync(machine.workspace)).toEqual([]);
  await model.close();
  await tidy(machine, talk);
});

flow('a draft stays in the line while a question is asked and answered', async () => {
  const slow = { name: 'run_shell_command', arguments: { command: 'sleep 0.7' } };
  const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'one\n' } };
  const model = await startFakeModelServer({
    answers: [{ calls: [slow] }, { calls: [write] }, { text: 'Done.' }],
    otherwise: { text: 'Later.' },
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('go\r');
  await talk.see(/Working/);
  talk.type('and then');
  await talk.see(/\+ and then/);
  await talk.until(talk.isAsked, 'the question');
  await new Promise((resolve) => setTimeout(resolve, 300));
  talk.type('y');
  await talk.see('Done.');
  await talk.until(() => talk.terminal.lines().at(-1) === '> and then', 'the draft');
  await model.close();
});

flow(
  '/permissions, /skills, /agents, /hooks and /extensions say what there is, or that there is nothing',
  async () => {
    const talk = await start({ rows: 60 });
    await talk.ready();
    for (const name of ['permissions', 'skills', 'agents', 'hooks', 'extensions']) {
      await talk.say(`/${name}`);
      expect(talk.text()).toMatch(new RegExp(`> /${name}\\n\\n *\\S+ \\S+`));
    }
    expect(talk.text()).not.toContain('There is no /');
  },
);
