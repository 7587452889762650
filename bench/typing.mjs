/** Typing at a real terminal in a folder of 100,000 files: the menu under `@`, keys meanwhile, and the search of 10,000 prompts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pty from '@lydell/node-pty';
import { median, root } from './measure.mjs';

const FILES = 100_000;
const PER_FOLDER = 500;
const PROMPTS = 10_000;
const ROUNDS = 3;

const base = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const workspace = join(base, 'work');
const state = join(base, 'state');
const program = join(root, 'packages/cli/bin/toolwright.cjs');

function makeFiles() {
  for (let folder = 0; folder < FILES / PER_FOLDER; folder++) {
    const path = join(workspace, `package-${folder % 20}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < PER_FOLDER; file++) writeFileSync(join(path, `module-${file}.ts`), '');
  }
  mkdirSync(state, { mode: 0o700 });
  const entries = Array.from(
    { length: PROMPTS },
    (_, at) => `prompt ${at}: look at the module and change what is wrong in it`,
  );
  writeFileSync(join(state, 'history.json'), JSON.stringify({ v: 1, entries }), { mode: 0o600 });
}

/** The program on a terminal; `see` gives the milliseconds until a text has been written since the keys were. */
function open() {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, TOOLWRIGHT_HOME: state, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const began = performance.now();
  const child = pty.spawn(process.execPath, [program, '--provider', 'offline'], {
    cols: 100,
    rows: 30,
    cwd: workspace,
    env,
  });
  let seen = '';
  let wanted = null;
  child.onData((data) => {
    seen += data;
    if (wanted?.pattern.test(seen)) {
      wanted.resolve(performance.now() - wanted.from);
      wanted = null;
    }
  });
  const see = (pattern, from = performance.now()) =>
    new Promise((resolve, reject) => {
      if (pattern.test(seen)) return resolve(performance.now() - from);
      wanted = { pattern, resolve, from };
      setTimeout(() => reject(new Error(`waited in vain for ${pattern}`)), 20_000).unref();
    });
  const press = (keys, pattern) => {
    seen = '';
    const from = performance.now();
    child.write(keys);
    return see(pattern, from);
  };
  return {
    firstLine: () => see(/Toolwright with/, began),
    ready: () => see(/Toolwright with[\s\S]*> /),
    press,
    close: () => child.kill('SIGKILL'),
  };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

try {
  makeFiles();
  execFileSync('sync');
  const times = { line: [], idle: [], first: [], key: [], whole: [], search: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // The line of a run that was killed would stand in this one.
    rmSync(join(state, 'drafts.json'), { force: true });
    const talk = open();
    times.line.push(await talk.firstLine());
    await talk.ready();
    await pause(200);
    for (const letter of 'idle keys') {
      times.idle.push(await talk.press(letter, new RegExp(letter)));
      await pause(5);
    }
    await talk.press('\x15', />/);
    await pause(50);
    times.first.push(await talk.press('@', /❯ /));
    // The list is still growing while these are typed.
    for (const [typed, shown] of [
      ['m', '@m'],
      ['o', '@mo'],
      ['d', '@mod'],
      ['4', '@mod4'],
      ['9', '@mod49'],
    ]) {
      times.key.push(await talk.press(typed, new RegExp(`> .*${shown}`)));
      await pause(3);
    }
    await pause(1_500);
    times.whole.push(await talk.press('7', /module-497\.ts/));
    await talk.press('\x15', />/);
    await talk.press('\x12', /Earlier prompts/);
    for (const [typed, shown] of [
      ['1', '1'],
      ['2', '12'],
      ['3', '123'],
      ['4', '1234'],
    ])
      times.search.push(await talk.press(typed, new RegExp(`/ [^\\n]*${shown}[\\s\\S]*Enter`)));
    talk.close();
    await pause(200);
  }
  const line = (name, values, target) => {
    const sorted = values.toSorted((left, right) => left - right);
    const middle = median(sorted);
    const verdict =
      target === undefined ? '' : `, target ${target} ms: ${middle <= target ? 'ok' : 'MISSED'}`;
    console.log(`${name}: median ${middle.toFixed(1)} ms, worst ${sorted.at(-1).toFixed(1)} ms${verdict}`);
  };
  console.log(
    `${FILES.toLocaleString('en')} files, ${PROMPTS.toLocaleString('en')} earlier prompts, ${ROUNDS} runs`,
  );
  line('first line of the conversation', times.line);
  line('a key shown when nothing else goes on', times.idle, 2);
  line('first answer of the menu after @', times.first, 50);
  line('a key shown while the files are listed', times.key, 2);
  line('the menu over all files after a key', times.whole);
  line('the search of earlier prompts after a key', times.search);
} finally {
  rmSync(base, { recursive: true, force: true });
}
