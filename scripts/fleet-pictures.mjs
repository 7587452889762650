/** Draws `toolwright fleet` into docs/pictures: the built program runs on a real pseudo-terminal; chromium draws its report. node scripts/fleet-pictures.mjs */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';
import { createPictureScreen, drawScreen } from './picture-screen.mjs';

const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));
const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const sizes = [
  [40, 20],
  [80, 24],
];
const LIMIT_MS = 60_000;
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const services = [
  'billing',
  'carts',
  'catalog',
  'gateway',
  'login',
  'mailer',
  'orders',
  'search',
  'stock',
  'users',
];
const edit = (from, to) => ({
  name: 'edit',
  arguments: { file_path: 'package.json', old_string: from, new_string: to },
});
const version = (number) => `"version": "1.${number}.0"`;
const read = { name: 'read_file', arguments: { absolute_path: 'package.json' } };
const fetchPage = {
  name: 'web_fetch',
  arguments: { url: 'https://registry.example.com/audit', prompt: 'advisories' },
};
const usage = { inputTokens: 5200, outputTokens: 180 };

/** The model's answer depends on the task alone, in whatever order the workers ask. */
function answerTo({ body }) {
  const text = JSON.stringify(body);
  const [, name] = /Raise the version of (\w+)/.exec(text) ?? [];
  const responses = text.split('"role":"tool"').length - 1;
  if (text.includes('Look for advisories'))
    return responses > 0 ? { text: 'No advisory concerns it.', usage } : { calls: [fetchPage], usage };
  if (responses === 0) return { calls: [read], usage };
  if (responses > 1) return { text: `Raised the version of ${name} to 1.3.0.`, usage };
  return { calls: [edit(version(2), version(3))], usage };
}

function makePlace() {
  const base = mkdtempSync(join(tmpdir(), 'toolwright-picture-'));
  const work = join(base, 'work');
  for (const name of services) {
    mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, name, 'package.json'), `{\n  "name": "${name}",\n  ${version(2)}\n}\n`);
  }
  const rows = services.flatMap((name) => [
    {
      prompt: `Raise the version of ${name} to 1.3.0.`,
      folder: name,
      check: name === 'mailer' ? "echo '2 of 31 tests failed'; exit 1" : 'sleep 0.4; grep 1.3.0 package.json',
    },
    ...(['gateway', 'login'].includes(name)
      ? [{ prompt: `Look for advisories about ${name}.`, folder: name }]
      : []),
  ]);
  writeFileSync(join(work, 'tasks.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  mkdirSync(join(base, 'home/.toolwright'), { recursive: true, mode: 0o700 });
  const models = { 'qwen3-max': { input: 1.2, output: 6 } };
  writeFileSync(join(base, 'home/.toolwright/models.json'), JSON.stringify({ v: 1, models }));
  return { base, work };
}

/** Runs a command of the program on a screen; `keep` takes a picture of it. */
function openTerminal({ base, work }, words, [columns, rows], environment) {
  const screen = createPictureScreen(columns, rows);
  const child = pty.spawn(process.execPath, [program, 'fleet', ...words], {
    cols: columns,
    rows,
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: join(base, 'home'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORFGBG: '15;0',
      ...environment,
      OPENAI_MODEL: 'qwen3-max',
    },
  });
  let isOver = false;
  child.onData((data) => screen.write(data));
  child.onExit(() => (isOver = true));
  return {
    async until(isReached, what) {
      for (const end = Date.now() + LIMIT_MS; !isReached(screen.text(), isOver); ) {
        if (Date.now() > end)
          throw new Error(`${words[0]} at ${columns}x${rows}: no ${what} in\n${screen.text()}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    keep(name) {
      const svg = drawScreen(screen, `${name}, ${columns} columns and ${rows} rows`).replaceAll(
        base,
        '/home/you',
      );
      writeFileSync(join(pictures, `${name}-${columns}x${rows}.svg`), svg);
    },
    end: () => child.kill('SIGKILL'),
  };
}

const over = (_text, isOver) => isOver;
const asked = (text) => /y (yes|keep)/.test(text);

async function drawAll(size) {
  const place = makePlace();
  const model = await startFakeModelServer({ otherwise: answerTo });
  const open = (words) => openTerminal(place, words, size, model.environment());
  try {
    const running = open([
      'run',
      'tasks.jsonl',
      '--workers',
      '2',
      '--report',
      'report',
      '--approval-mode',
      'auto-edit',
    ]);
    await running.until((text) => /done +[4-6]\b/.test(text) && /last failure/.test(text), 'progress');
    running.keep('fleet-progress');
    await running.until(over, 'end');
    running.keep('fleet-end');
    const page = join(place.work, 'report.html');
    if (size === sizes.at(-1)) drawPage(page);
    const questions = open(['questions']);
    await questions.until(asked, 'question');
    questions.keep('fleet-question');
    questions.end();
    const review = open(['collect', '--review']);
    await review.until(asked, 'review');
    review.keep('fleet-review');
    review.end();
  } finally {
    await model.close();
    rmSync(place.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

function drawPage(page) {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const picture = `--screenshot=${join(pictures, 'fleet-report.png')}`;
  const flags = ['--headless', '--hide-scrollbars', '--disable-gpu', '--window-size=1100,1000', picture];
  execFileSync(browser, [...asRoot, ...flags, `file://${page}`], { stdio: 'ignore', timeout: LIMIT_MS });
}

mkdirSync(pictures, { recursive: true });
for (const size of sizes) await drawAll(size);
process.exit(0);
