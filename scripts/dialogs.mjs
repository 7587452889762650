/** Draws the dialogs of the terminal in three sizes: the built program runs on a real pseudo-terminal, and its screen becomes a picture. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  [120, 40],
];
const LIMIT_MS = 20_000;

const app = `import { name } from './names.js';

/** Says hello. */
export function hello(loud = false) {
  const text = 'Hello, ' + name;
  console.log(text);
  return text;
}
`;
const edit = (file_path, old_string, new_string) => ({
  name: 'edit',
  arguments: { file_path, old_string, new_string },
});
const read = (absolute_path) => ({ name: 'read_file', arguments: { absolute_path } });
const run = (command) => ({ name: 'run_shell_command', arguments: { command } });
const lines = Array.from({ length: 60 }, (_, index) => `export const value${index} = ${index};`).join('\n');

const first = { calls: [read('src/app.ts'), read('src/names.ts')] };
const edits = {
  text: 'The greeting is built by hand. It reads better joined:',
  calls: [
    edit(
      'src/app.ts',
      "  const text = 'Hello, ' + name;",
      "  const text = ['Hello', name].join(', ') + (loud ? '!' : '.');",
    ),
    edit('src/names.ts', "'you'", "'world'"),
  ],
};

/** Each: the answers of the model, the keys, and the text that shows that the screen is ready. */
const dialogs = {
  question: { answers: [first, edits], steps: [['tidy up\r', /y yes/]] },
  always: {
    answers: [first, edits],
    steps: [
      ['tidy up\r', /y yes/],
      ['a', /no limit/],
    ],
  },
  reason: {
    answers: [first, edits],
    steps: [
      ['tidy up\r', /y yes/],
      ['nkeep the plus', /keep the plus/],
    ],
  },
  'long-question': {
    answers: [
      { calls: [{ name: 'write_file', arguments: { file_path: 'src/values.ts', content: `${lines}\n` } }] },
    ],
    steps: [['write them\r', /y yes/]],
  },
  deliberate: {
    answers: [
      { calls: [{ name: 'write_file', arguments: { file_path: 'src/values.ts', content: `${lines}\n` } }] },
    ],
    steps: [
      ['write them\r', /y yes/],
      ['y', /Type yes\s+to agree/],
    ],
  },
  command: {
    answers: [{ calls: [run('rm src/names.ts; echo done > out.txt; echo removed')] }],
    steps: [['clean up\r', /y yes/]],
  },
  working: {
    answers: [
      first,
      { text: 'Both are read. Now the tests:', calls: [run('echo "12 of 40 tests"; sleep 30')] },
    ],
    steps: [
      ['test it\r', /12 of 40/],
      ['then the docs\r', /queued: then/],
    ],
  },
  theme: { answers: [], steps: [['/theme\r', /color-blind[\s\S]*world/]] },
  trust: { answers: [], isUntrusted: true, steps: [['', /y yes/]] },
};

async function draw(name, { answers, steps, isUntrusted }, [columns, rows]) {
  const model = await startFakeModelServer({ answers, otherwise: { text: 'Done.' } });
  // Short, so that its name stands in one line of the narrowest screen.
  const root = mkdtempSync(join(tmpdir(), 'w-'));
  const home = join(root, 'you');
  const work = join(home, 'work');
  const put = (path, text) => {
    mkdirSync(join(work, path, '..'), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  put('src/app.ts', app);
  put('src/names.ts', "export const name = 'you';\n");
  put('.git/HEAD', 'ref: refs/heads/main\n');
  if (isUntrusted)
    put('.toolwright/settings.json', '{"tools": {"toolDiscoveryCommand": "./find-tools.sh"}}\n');
  const screen = createPictureScreen(columns, rows);
  const child = pty.spawn(process.execPath, [program], {
    cols: columns,
    rows,
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORFGBG: '15;0',
      ...model.environment(),
      OPENAI_MODEL: 'qwen3-max',
    },
  });
  child.onData((data) => screen.write(data));
  const until = async (pattern) => {
    for (const end = Date.now() + LIMIT_MS; !pattern.test(screen.text()); ) {
      if (Date.now() > end)
        throw new Error(`${name} at ${columns}x${rows}: no ${pattern} in\n${screen.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await new Promise((resolve) => setTimeout(resolve, 400));
  };
  try {
    if (!isUntrusted) await until(/^> ?$/m);
    for (const [keys, pattern] of steps) {
      child.write(keys);
      await until(pattern);
    }
    // The picture is the same on every machine.
    const svg = drawScreen(screen, `${name}, ${columns} columns and ${rows} rows`).replaceAll(root, '/home');
    writeFileSync(join(pictures, `${name}-${columns}x${rows}.svg`), svg);
  } finally {
    child.kill('SIGKILL');
    await model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

mkdirSync(pictures, { recursive: true });
const wanted = process.argv[2];
for (const [name, dialog] of Object.entries(dialogs))
  if (!wanted || wanted === name) for (const size of sizes) await draw(name, dialog, size);
process.exit(0);
