/** Records the moving picture at the top of the README: the built program runs on a real pseudo-terminal, and its screens follow each other. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';
import { createPictureScreen, drawCast } from './picture-screen.mjs';

const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));
const picture = fileURLToPath(new URL('../docs/cast.svg', import.meta.url));
const [COLUMNS, ROWS] = [80, 22];
const LIMIT_MS = 20_000;

const app = `import { name } from './names.js';

/** Says hello. */
export function hello(loud = false) {
  const text = 'Hello, ' + name;
  console.log(text);
  return text;
}
`;
const answers = [
  {
    calls: [
      { name: 'read_file', arguments: { absolute_path: 'src/app.ts' } },
      { name: 'read_file', arguments: { absolute_path: 'src/names.ts' } },
    ],
  },
  {
    text: 'The greeting never gets loud. It should:',
    calls: [
      {
        name: 'edit',
        arguments: {
          file_path: 'src/app.ts',
          old_string: "  const text = 'Hello, ' + name;",
          new_string: "  const text = ['Hello', name].join(', ') + (loud ? '!' : '.');",
        },
      },
    ],
  },
  { text: 'Now `hello(true)` ends with an exclamation mark.' },
];

/** Each: what is typed, letter by letter or at once, the text that shows that it was done, and how long it is looked at. */
const steps = [
  { type: 'make the greeting loud when asked', seconds: 0.6 },
  { keys: '\r', until: /y yes/, seconds: 4 },
  { keys: 'y', until: /exclamation mark[\s\S]*^> ?$/m, seconds: 3.5 },
  { type: '/undo last', seconds: 0.6 },
  { keys: '\r', until: /Undone/, seconds: 4.5 },
];
const LETTER_SECONDS = 0.06;

const root = mkdtempSync(join(tmpdir(), 'toolwright-cast-'));
const work = join(root, 'work');
const model = await startFakeModelServer({ answers });
const screen = createPictureScreen(COLUMNS, ROWS);
const frames = [];

try {
  mkdirSync(join(work, 'src'), { recursive: true });
  mkdirSync(join(work, '.git'));
  mkdirSync(join(root, 'home/.toolwright'), { recursive: true, mode: 0o700 });
  writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(work, 'src/app.ts'), app);
  writeFileSync(join(work, 'src/names.ts'), "export const name = 'you';\n");
  // A folder that was worked in before is not introduced again.
  writeFileSync(join(root, 'home/.toolwright/history.json'), '{"v":1,"entries":["hello"]}', { mode: 0o600 });
  await record();
  const svg = drawCast(frames, {
    columns: COLUMNS,
    rows: ROWS,
    title: 'A change, its question, and its undo',
  });
  writeFileSync(picture, svg.replaceAll(root, '/home/you'));
  console.log(`${picture}: ${frames.length} screens, ${Math.round(svg.length / 1024)} kB`);
} finally {
  await model.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

async function record() {
  const child = pty.spawn(process.execPath, [program], {
    cols: COLUMNS,
    rows: ROWS,
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: join(root, 'home'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORFGBG: '15;0',
      ...model.environment(),
      OPENAI_MODEL: 'qwen3-max',
    },
  });
  child.onData((data) => screen.write(data));
  try {
    await until(/^> ?$/m);
    frames.push({ cells: screen.cells(), seconds: 1 });
    for (const step of steps) {
      for (const letter of step.type ?? '') {
        child.write(letter);
        await settled();
        frames.push({ cells: screen.cells(), seconds: LETTER_SECONDS });
      }
      if (step.keys) child.write(step.keys);
      if (step.until) await until(step.until);
      frames.push({ cells: screen.cells(), seconds: step.seconds });
    }
  } finally {
    child.kill('SIGKILL');
  }
}

function settled() {
  return new Promise((resolve) => setTimeout(resolve, 60));
}

async function until(pattern) {
  for (const end = Date.now() + LIMIT_MS; !pattern.test(screen.text()); await settled())
    if (Date.now() > end) throw new Error(`no ${pattern} in\n${screen.text()}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
}
