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
const { createVirtualTerminal, startFakeModelServer } = await loadSource(`
  export { createVirtualTerminal } from './integration/terminal/virtual-terminal.js';
  export { startFakeModelServer } from './packages/core/src/testing/fake-model-server.js';
`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const edit = (from, to) => ({
  calls: [{ name: 'edit', arguments: { file_path: 'src/app.ts', old_string: from, new_string: to } }],
});
/** Two prompts that change a file. */
const changed = ['rename x in @src/app.ts\r', 'and again\r'];

const scenes = {
  'first-run': { keys: [], provider: 'offline', isFirst: true },
  'menu-files': { keys: ['look at @ap'] },
  'menu-commands': { keys: ['/co'] },
  'history-search': { keys: ['\x12', 'tests'] },
  model: { keys: ['/model\r', '\x1b[C'] },
  fallback: { keys: ['/model\r', 'fallback\r'] },
  mode: { keys: ['/mode\r'] },
  resume: { keys: [...changed, '/clear\r', '/resume\r'] },
  rewind: { keys: [...changed, '/rewind\r'] },
  'rewind-how': { keys: [...changed, '/rewind\r', '\r'] },
  undo: { keys: [...changed, '/undo\r'] },
  context: { keys: [...changed, '/context\r'] },
  connect: { keys: ['/connect\r'] },
  'connect-key': { keys: ['/connect\r', 'anthropic\r', 'sk-something'] },
  settings: { keys: ['/settings\r', 'model'] },
  'settings-value': { keys: ['/settings ui.theme\r'] },
  fact: { keys: ['#the tests run with make\r'] },
  help: { keys: ['/help\r', 'undo'] },
};

function makePlace(isFirst) {
  const base = mkdtempSync(join(tmpdir(), 'toolwright-picture-'));
  const [workspace, state] = [join(base, 'project'), join(base, 'state')];
  mkdirSync(join(workspace, 'src'), { recursive: true });
  mkdirSync(state, { mode: 0o700 });
  for (const name of ['src/app.ts', 'src/app.test.ts', 'src/map.ts', 'README.md'])
    writeFileSync(join(workspace, name), 'x\n');
  const entries = ['run the tests', 'explain this folder', 'why do the tests fail on Windows?'];
  if (!isFirst)
    writeFileSync(join(state, 'history.json'), JSON.stringify({ v: 1, entries }), { mode: 0o600 });
  return { base, workspace, state };
}

async function play({ keys, provider = 'openai', isFirst = false }, [columns, rows]) {
  const { base, workspace, state } = makePlace(isFirst);
  const model = await startFakeModelServer({
    models: ['claude-sonnet-4-5', 'gpt-5.1', 'gpt-5-mini', 'fake-model'],
    answers: [edit('x', 'y'), { text: 'Renamed.' }, edit('y', 'z'), { text: 'Renamed again.' }],
    otherwise: { text: 'Done.' },
  });
  const terminal = createVirtualTerminal(columns, rows);
  const { PATH } = process.env;
  const child = pty.spawn(
    process.execPath,
    [join(root, 'packages/cli/bin/toolwright.cjs'), '--provider', provider, '--approval-mode', 'auto-edit'],
    {
      cols: columns,
      rows,
      cwd: workspace,
      env: {
        ...{ PATH, HOME: base, TOOLWRIGHT_HOME: state, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
        ...(provider === 'offline' ? {} : model.environment()),
      },
    },
  );
  child.onData((data) => terminal.write(data));
  for (const end = Date.now() + 30_000; terminal.lines().at(-1) !== '>' && Date.now() < end; )
    await pause(50);
  await pause(300);
  for (const each of keys) {
    child.write(each);
    await pause(900);
  }
  const lines = terminal.lines().slice(-rows);
  child.kill('SIGKILL');
  await model.close();
  await pause(50);
  rmSync(base, { recursive: true, force: true });
  // The picture is the same on every machine.
  return lines.map((line) =>
    line.replaceAll(base, '/home/you').replace(`127.0.0.1:${model.port}`, '127.0.0.1:40000'),
  );
}

const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
/** Names of scenes on the command line draw those alone. */
const wanted = process.argv.slice(2);
for (const [name, scene] of Object.entries(scenes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const size of sizes) {
    const lines = await play(scene, size);
    const title = `${name.replaceAll('-', ' ')} at ${size.join(' by ')}`;
    writeFileSync(join(folder, `${name}-${size.join('x')}.svg`), draw(lines, { title, columns: size[0] }));
    console.log(`\n== ${title}\n${lines.join('\n')}`);
  }
}
