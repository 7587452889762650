/** Draws menus and lists of the real program at three sizes into docs/pictures: node scripts/typing-pictures.mjs */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pty from '@lydell/node-pty';
import { loadSource, root } from '../bench/measure.mjs';
import { draw } from './picture.mjs';

const sizes = [
  [40, 20],
  [80, 24],
  [120, 40],
];
const { createVirtualTerminal } = await loadSource(
  `export { createVirtualTerminal } from './integration/terminal/virtual-terminal.js';`,
);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const scenes = {
  'menu-files': ['look at @ap'],
  'menu-commands': ['/co'],
  'history-search': ['\x12', 'tests'],
  mode: ['/mode\r'],
  undo: ["write 'hello' to notes.txt\r", 'y', '/undo\r'],
  rewind: ["write 'hello' to notes.txt\r", 'y', '/rewind\r'],
  connect: ['/connect\r'],
  settings: ['/settings\r', 'model'],
  help: ['/help\r', 'undo'],
};

async function play(keys, [columns, rows]) {
  const base = mkdtempSync(join(tmpdir(), 'toolwright-picture-'));
  const [workspace, state] = [join(base, 'project'), join(base, 'state')];
  mkdirSync(join(workspace, 'src'), { recursive: true });
  mkdirSync(state, { mode: 0o700 });
  for (const name of ['src/app.ts', 'src/app.test.ts', 'src/map.ts', 'README.md'])
    writeFileSync(join(workspace, name), 'x\n');
  const entries = ['run the tests', 'explain this folder', 'why do the tests fail on Windows?'];
  writeFileSync(join(state, 'history.json'), JSON.stringify({ v: 1, entries }), { mode: 0o600 });
  const terminal = createVirtualTerminal(columns, rows);
  const { PATH } = process.env;
  const child = pty.spawn(
    process.execPath,
    [join(root, 'packages/cli/bin/toolwright.cjs'), '--provider', 'offline'],
    {
      cols: columns,
      rows,
      cwd: workspace,
      env: { PATH, HOME: base, TOOLWRIGHT_HOME: state, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    },
  );
  child.onData((data) => terminal.write(data));
  await pause(1_500);
  for (const each of keys) {
    child.write(each);
    await pause(900);
  }
  const lines = terminal.lines().slice(-rows);
  child.kill('SIGKILL');
  await pause(50);
  rmSync(base, { recursive: true, force: true });
  return lines.map((line) => line.replaceAll(base, '~'));
}

const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
for (const [name, keys] of Object.entries(scenes)) {
  for (const size of sizes) {
    const lines = await play(keys, size);
    const title = `${name.replaceAll('-', ' ')} at ${size.join(' by ')}`;
    writeFileSync(join(folder, `${name}-${size.join('x')}.svg`), draw(lines, { title, columns: size[0] }));
    console.log(`\n== ${title}\n${lines.join('\n')}`);
  }
}
