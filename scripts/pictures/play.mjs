import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { startFakeModelServer } from '../../packages/core/dist/testing/index.js';
import { createPictureScreen, drawScreen } from '../picture-screen.mjs';

const program = fileURLToPath(new URL('../../packages/cli/bin/toolwright.cjs', import.meta.url));
const pictures = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const sizes = [
  [40, 20],
  [80, 24],
  [120, 40],
];
const LIMIT_MS = 30_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Draws scenes of the built program on a pseudo-terminal, each at three sizes. A scene has the answers of the model, the files of the
 * workspace and of the home, what is prepared before, and steps: keys, and the text that shows that the screen is ready.
 */
export async function drawScenes(scenes, wanted) {
  mkdirSync(pictures, { recursive: true });
  for (const [name, scene] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const size of sizes) {
      const svg = await drawScene(name, scene, size);
      writeFileSync(join(pictures, `${name}-${size.join('x')}.svg`), svg);
    }
    console.log(name);
  }
}

async function drawScene(name, scene, [columns, rows]) {
  const model = await startFakeModelServer({
    models: scene.models ?? ['qwen3-max'],
    answers: scene.answers ?? [],
    otherwise: scene.otherwise ?? { text: 'Done.' },
  });
  const place = makePlace(scene, model);
  try {
    await scene.prepare?.(place);
    const screen = createPictureScreen(columns, rows);
    await playOn(screen, place, { ...scene, name });
    // The picture is the same on every machine.
    return drawScreen(screen, `${name.replaceAll('-', ' ')}, ${columns} columns and ${rows} rows`)
      .replaceAll(place.root, '/home')
      .replaceAll(`127.0.0.1:${model.port}`, '127.0.0.1:40000');
  } finally {
    await model.close();
    rmSync(place.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function makePlace({ files, home: ofHome = {}, isFirst, provider }, model) {
  // Short, so that its name stands in one line of the narrowest screen.
  const root = mkdtempSync(join(tmpdir(), 'w-'));
  const home = join(root, 'you');
  const work = join(home, 'work');
  const put = (folder, path, text) => {
    mkdirSync(join(folder, path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
  };
  for (const [path, text] of Object.entries({ '.git/HEAD': 'ref: refs/heads/main\n', ...files }))
    put(work, path, text);
  const entries = ['run the tests', 'explain this folder', 'why do the tests fail on Windows?'];
  const history = { '.toolwright/history.json': JSON.stringify({ v: 1, entries }) };
  for (const [path, text] of Object.entries({ ...(isFirst ? {} : history), ...ofHome }))
    put(home, path, text);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORFGBG: '15;0',
    ...(provider === 'offline' ? {} : { ...model.environment(), OPENAI_MODEL: 'qwen3-max' }),
  };
  /** Runs the program to its end, before the picture. */
  const run = (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], { cwd: work, env, stdio: 'ignore' });
      child.on('error', reject).on('close', resolve);
    });
  return { root, home, work, env, put, run };
}

async function playOn(screen, { work, env }, { name, args = [], steps, startsWith = /^> ?$/m }) {
  const { columns, rows } = screen;
  const child = pty.spawn(process.execPath, [program, ...args], { cols: columns, rows, cwd: work, env });
  child.onData((data) => screen.write(data));
  const until = async (pattern) => {
    for (const end = Date.now() + LIMIT_MS; !pattern.test(screen.text()); ) {
      if (Date.now() > end)
        throw new Error(`${name} at ${columns}x${rows}: no ${pattern} in\n${screen.text()}`);
      await pause(30);
    }
    await pause(400);
  };
  try {
    await until(startsWith);
    for (const [keys, pattern] of steps) {
      child.write(keys);
      if (pattern) await until(pattern);
      else await pause(900);
    }
  } finally {
    child.kill('SIGKILL');
    await pause(50);
  }
}
