/** Draws `toolwright stats` and the report of `toolwright eval` into docs/pictures, from sessions and runs of the built program: node scripts/numbers-pictures.mjs */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';
import { createPictureScreen, drawScreen } from './picture-screen.mjs';

const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));
const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const tasks = fileURLToPath(new URL('../eval/tasks/', import.meta.url));
const sizes = [
  [40, 26],
  [80, 24],
  [120, 40],
];
const DAY_MS = 86_400_000;
const LIMIT_MS = 60_000;
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const base = mkdtempSync(join(tmpdir(), 'toolwright-picture-'));
const [work, home] = [join(base, 'work'), join(base, 'home')];
mkdirSync(work);
mkdirSync(home);

/** Runs the program to its end, whatever its exit code. */
async function run(words, environment = {}) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...environment };
  const child = spawn(process.execPath, [program, ...words], { cwd: work, env, stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve));
}

const read = { name: 'read_file', arguments: { absolute_path: 'app.txt' } };
const command = (line) => ({ name: 'run_shell_command', arguments: { command: line } });
const edit = (from, to) => ({
  name: 'edit',
  arguments: { file_path: 'app.txt', old_string: from, new_string: to },
});
const usage = (inputTokens) => ({ inputTokens, outputTokens: Math.round(inputTokens / 20) });

/** A model, the calls of its session, its tokens, and the days on which such a session took place. */
const sessions = [
  {
    model: 'qwen3-max',
    calls: [read, edit('one', 'two'), command('cat app.txt')],
    tokens: 41_000,
    days: [0, 1, 1, 3, 6],
  },
  { model: 'gpt-5.1', calls: [read, command('exit 2'), command('ls')], tokens: 23_000, days: [0, 2, 3] },
  { model: 'gpt-5-mini', calls: [command('grep -c o app.txt')], tokens: 9_000, days: [1, 2, 2, 3, 3, 4, 6] },
];

/** Holds the sessions once, then puts copies of their journals on the other days. */
async function makeJournals() {
  for (const { model: name, calls, tokens, days } of sessions) {
    writeFileSync(join(work, 'app.txt'), 'one\n');
    const answers = [
      ...calls.map((call) => ({ calls: [call], usage: usage(tokens) })),
      { text: 'Done.', usage: usage(tokens) },
    ];
    const model = await startFakeModelServer({ answers });
    const before = new Set(journals());
    await run(['-y', '-p', 'Do it.'], { ...model.environment(), OPENAI_MODEL: name });
    await model.close();
    const [made] = journals().filter((path) => !before.has(path));
    const text = readFileSync(made, 'utf8');
    days.forEach((ago, index) => {
      const moved = text.replace(
        /"at":"([^"]+)"/g,
        (_, at) => `"at":"${new Date(Date.parse(at) - ago * DAY_MS).toISOString()}"`,
      );
      writeFileSync(made.replace(/.\.jsonl$/, `${index}.jsonl`), moved);
    });
    if (!/0\.jsonl$/.test(made)) rmSync(made);
  }
}

function journals() {
  const folder = join(home, '.toolwright/sessions');
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return found.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

async function drawStats([columns, rows]) {
  const screen = createPictureScreen(columns, rows);
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const child = pty.spawn(process.execPath, [program, 'stats', '--days', '7'], {
    cols: columns,
    rows,
    cwd: work,
    env,
  });
  child.onData((data) => screen.write(data));
  await new Promise((resolve) => child.onExit(resolve));
  const title = `stats, ${columns} columns and ${rows} rows`;
  writeFileSync(join(pictures, `stats-${columns}x${rows}.svg`), drawScreen(screen, title));
}

const names = ['add-function', 'find-and-fix', 'json-field', 'keep-crlf', 'rename-file', 'sort-unique'];

/** Two evaluations with recorded answers; in the second, those of one task are wrong. */
async function drawEval() {
  const folder = join(home, 'tasks');
  for (const name of names) cpSync(join(tasks, name), join(folder, name), { recursive: true });
  const evaluate = (...more) => run(['eval', folder, '--recorded', '-k', '5', '--at-once', '2', ...more]);
  await evaluate('--out', 'before');
  writeFileSync(join(folder, 'rename-file/answers.jsonl'), '{"text":"Done."}\n');
  await evaluate('--out', 'after', '--against', 'before');
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const picture = `--screenshot=${join(pictures, 'eval-report.png')}`;
  const flags = ['--headless', '--hide-scrollbars', '--disable-gpu', '--window-size=1100,1480', picture];
  const page = `file://${join(work, 'after/report.html')}`;
  execFileSync(browser, [...asRoot, ...flags, page], { stdio: 'ignore', timeout: LIMIT_MS });
}

try {
  await makeJournals();
  for (const size of sizes) await drawStats(size);
  await drawEval();
} finally {
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
