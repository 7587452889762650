/** Draws every view of the web page: the built program serves a machine with sessions, changes, a question and a fleet. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';

const usage = 'node scripts/web-pictures.mjs FOLDER [VIEW…]: draws the views of the web page into the folder';
const [folder, ...wanted] = process.argv.slice(2);
const executablePath = '/usr/bin/chromium';
if (folder === undefined || !existsSync(executablePath)) {
  console.error(folder === undefined ? usage : 'chromium is not installed, so nothing can be drawn');
  process.exit(2);
}

const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-pictures-')));
const [home, workspace] = [join(base, 'home'), join(base, 'work')];
const services = [
  'billing',
  'catalogue',
  'checkout',
  'mail',
  'search',
  'a-service-with-a-very-long-name-indeed',
];
const app = `import { name } from './names.js';

/** Says hello. */
export function hello(loud = false) {
  const text = 'Hello, ' + name;
  console.log(text);
  return text;
}
`;

function write(path, content) {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

mkdirSync(home);
write('src/app.ts', app);
write('src/names.ts', "export const name = 'world';\n");
write('AGENTS.md', '# Rules of this place\n\nTests sit beside the code.\n');
for (const service of services) write(`${service}/licence.txt`, 'Copyright 2024\nAll rights reserved.\n');

const call = (name, given) => ({ name, arguments: given });
const edit = (file_path, old_string, new_string) => call('edit', { file_path, old_string, new_string });
const usageOf = (turn) => ({
  inputTokens: 4_000 + turn * 900,
  cachedTokens: turn * 3_000,
  outputTokens: 120 + turn * 40,
});

/** The model's answers to a prompt, turn by turn. */
const scripts = [
  [
    'Greet louder',
    [
      {
        thinking: 'The flag is there but nobody reads it.',
        text: 'Let me look at the greeting first.',
        calls: [
          call('read_file', { absolute_path: 'src/app.ts' }),
          call('run_shell_command', { command: 'wc -l src/*.ts' }),
        ],
      },
      {
        text: 'The flag `loud` is never read. I make it count:',
        calls: [
          edit(
            'src/app.ts',
            "  const text = 'Hello, ' + name;",
            "  const text = 'Hello, ' + (loud ? name.toUpperCase() : name);",
          ),
        ],
      },
      {
        text: 'Done. **`hello(true)`** now greets in capitals:\n\n- the flag is read\n- nothing else was touched\n\n| call | greeting |\n| --- | --- |\n| `hello()` | Hello, world |\n| `hello(true)` | Hello, WORLD |',
      },
    ],
  ],
  [
    'Rename the constant',
    [
      { text: 'One file is concerned.', calls: [call('read_file', { absolute_path: 'src/names.ts' })] },
      { text: 'I change it.', calls: [edit('src/names.ts', "name = 'world'", "name = 'everybody'")] },
      { text: 'Renamed.' },
    ],
  ],
  [
    'Tidy up apart',
    [
      { calls: [call('read_file', { absolute_path: 'src/names.ts' })] },
      {
        calls: [
          edit('src/names.ts', 'everybody', 'all of you'),
          call('write_file', { file_path: 'src/tidy.ts', content: 'export const tidy = true;\n' }),
        ],
      },
      { text: 'Tidied up, on a copy.' },
    ],
  ],
  [
    'Remove the old helper',
    [
      {
        text: 'The helper is used nowhere, so the whole file can go.',
        calls: [call('run_shell_command', { command: 'rm src/names.ts' })],
      },
      { text: 'Removed.' },
    ],
  ],
  [
    'look up',
    [
      {
        calls: [
          call('web_fetch', {
            url: 'https://licences.example.com/2026',
            prompt: 'Which wording holds this year?',
          }),
        ],
      },
      { text: 'Looked up.' },
    ],
  ],
  [
    'Bring the licence',
    [
      { text: 'I read it first.', calls: [call('read_file', { absolute_path: 'licence.txt' })] },
      { text: 'I set the year.', calls: [edit('licence.txt', '2024', '2026')] },
      { text: 'The licence of this service names **2026** now.' },
    ],
  ],
  [
    'take your time',
    [
      { text: 'I will.', calls: [call('run_shell_command', { command: 'echo begun; sleep 60' })] },
      { text: 'Done.' },
    ],
  ],
];

function answerTo({ body }) {
  const words = JSON.stringify(body.messages);
  const [, turns] = scripts.findLast(([beginning]) => words.includes(beginning)) ?? [
    '',
    [{ text: 'I do not know.' }],
  ];
  const begun = body.messages.findLastIndex(({ role }) => role === 'user');
  const turn = body.messages.slice(begun).filter(({ role }) => role === 'assistant').length;
  return { usage: usageOf(turn), ...(turns[turn] ?? { text: 'That is all.' }) };
}

const model = await startFakeModelServer({ otherwise: answerTo });
const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: home, ...model.environment('openai') };

function start(args) {
  return spawn(process.execPath, [program, ...args], {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function run(args) {
  const child = start(args);
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once('close', resolve));
}

async function prepare() {
  await run(['-p', 'Greet louder: hello(true) should be in capitals', '--approval-mode', 'auto-edit']);
  await run(['-p', 'Rename the constant', '--approval-mode', 'auto-edit']);
  await run(['-p', 'Tidy up apart', '--apart', '--approval-mode', 'auto-edit']);
  const tasks = services.map((service, index) => ({
    prompt:
      index < 2
        ? `Then look up which wording of the licence holds for ${service}.`
        : `Bring the licence of ${service} up to date.`,
    folder: service,
    labels: index % 2 === 0 ? ['licence', 'nightly'] : ['licence'],
    ...(index === 3 ? { check: 'grep 2030 licence.txt' } : {}),
    ...(index === 4 ? { check: 'grep 2026 licence.txt', turns: 20, cost: 1 } : {}),
  }));
  tasks.push({ prompt: 'Bring the licence of a folder that is elsewhere', folder: '/etc' });
  writeFileSync(join(base, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  await run(['fleet', 'run', join(base, 'tasks.jsonl'), '--workers', '2', '--approval-mode', 'auto-edit']);
  writeFileSync(
    join(base, 'slow.jsonl'),
    `${JSON.stringify({ prompt: 'Please take your time with the index of the search.', folder: 'search' })}\n`.repeat(
      3,
    ),
  );
  await run(['fleet', 'submit', join(base, 'slow.jsonl')]);
}

await prepare();
const worker = start(['fleet', 'worker', '--slots', '1', '--approval-mode', 'yolo']);
const served = start(['web']);
const url = await new Promise((resolve) => {
  served.stdout.once('data', (text) => resolve(/http\S+/.exec(String(text))[0]));
});
const { origin } = new URL(url);
const token = url.split('#token=')[1];

async function ask(method, given = {}) {
  const headers = { 'content-type': 'application/json', 'x-toolwright-token': token };
  const response = await fetch(`${origin}/api/${method}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(given),
  });
  return response.json();
}

const { session: asking } = await ask('prompt', { text: 'Remove the old helper' });
const settled = async (isSo) => {
  for (let count = 0; count < 200 && !(await isSo()); count++)
    await new Promise((resolve) => setTimeout(resolve, 100));
};
await settled(async () => (await ask('list/start')).live.some(({ asks }) => asks));
await settled(async () => (await ask('list/tasks', { state: 'running' })).rows.length > 0);
const sessions = await ask('list/sessions');
const [change] = await ask('list/changes');
const apart = (await ask('list/apart')).find(({ isHere }) => isHere);
const taskIn = async (state) => (await ask('list/tasks', { state })).rows[0]?.id;
const greeting = sessions.find(({ title }) => title.startsWith('Greet')).id;

const views = {
  live: '#/live',
  sessions: '#/sessions',
  search: '#/sessions',
  session: `#/session/${greeting}`,
  call: `#/session/${greeting}`,
  question: `#/session/${asking}`,
  fleet: '#/fleet',
  'fleet-question': '#/fleet/parked',
  'fleet-failed': '#/fleet/failed',
  'task-done': `#/task/${await taskIn('done')}`,
  'task-parked': `#/task/${await taskIn('parked')}`,
  'task-failed': `#/task/${await taskIn('failed')}`,
  'task-running': `#/task/${await taskIn('running')}`,
  changes: '#/changes',
  change: `#/change/${change.id}`,
  sides: `#/change/${change.id}`,
  apart: `#/apart/${apart.id}`,
  rules: '#/rules',
  explained: '#/rules',
  doctor: '#/machine/doctor',
  servers: '#/machine/servers',
  tools: '#/machine/tools',
  memory: '#/machine/memory',
  disk: '#/machine/disk',
  'no-such-session': '#/session/000000000000000000000000',
  'no-token': '#/sessions',
};

/** The user's actions in a view before it is drawn. */
const doings = {
  search: (page) => page.fill('input[type=search]', 'greet loud'),
  call: (page) => page.locator('.call .head').last().click(),
  // There is no choice on a narrow screen.
  sides: async (page) => (await page.getByRole('button', { name: 'Side by side' }).all())[0]?.click(),
  'fleet-question': (page) => page.locator('.call.asks .head').first().click(),
  explained: (page) =>
    page
      .getByLabel('A command line, or a tool with its arguments')
      .fill('git push origin main && rm -r build'),
};

const looks = [
  { name: 'light', colorScheme: 'light' },
  { name: 'dark', colorScheme: 'dark' },
];
const fewer = ['live', 'session', 'question', 'fleet', 'change', 'rules'];
const variants = [
  ...[390, 1440].flatMap((width) => looks.map((look) => ({ ...look, width }))),
  { name: 'light', colorScheme: 'light', width: 360, views: fewer },
  { name: 'dark', colorScheme: 'dark', width: 2560, views: fewer },
  { name: 'contrast', contrast: 'more', colorScheme: 'light', width: 1440, views: fewer },
  { name: 'contrast-dark', contrast: 'more', colorScheme: 'dark', width: 390, views: fewer },
  { name: 'forced', forcedColors: 'active', colorScheme: 'dark', width: 1440, views: fewer },
];

async function draw(browser, { name: look, width, views: only, ...scheme }) {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 900 },
    ...scheme,
  });
  const names = Object.keys(views).filter(
    (name) => (only ?? [name]).includes(name) && (wanted.length === 0 || wanted.includes(name)),
  );
  for (const name of names) {
    const page = await context.newPage();
    await page.goto(name === 'no-token' ? `${origin}/${views[name]}` : `${url}&to=${views[name].slice(1)}`);
    await page.waitForTimeout(700);
    await page
      .waitForSelector('main .waiting', { state: 'detached', timeout: 30_000 })
      .catch(() => undefined);
    await doings[name]?.(page).catch((error) => console.error(`${name}: ${error.message.split('\n')[0]}`));
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${name}-${width}-${look}.png`), fullPage: true });
    await page.close();
  }
  await context.close();
}

mkdirSync(folder, { recursive: true });
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath, args: asRoot });
try {
  for (const variant of variants) await draw(browser, variant);
} finally {
  await browser.close();
  for (const child of [worker, served]) {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGINT');
    await ended;
  }
  await model.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`The pictures are in ${folder}.`);
