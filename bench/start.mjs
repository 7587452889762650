/** Cold start of the program against a bare `node -e 0`, with the code cache warm. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, report, root } from './measure.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const { NODE_EXTRA_CA_CERTS: _, OPENAI_API_KEY: _1, ...inherited } = process.env;
const env = { ...inherited, HOME: folder, TOOLWRIGHT_HOME: join(folder, 'state') };
const program = join(root, 'packages/cli/bin/toolwright.cjs');
const workspace = join(folder, 'work');
mkdirSync(workspace);
writeFileSync(join(workspace, 'a.txt'), 'a line with TODO in it\n');

function start(...args) {
  const child = spawnSync(process.execPath, args, { cwd: workspace, env, encoding: 'utf8', input: '' });
  if (child.status !== 0) throw new Error(`${args.join(' ')}: ${child.stderr}`);
}

try {
  const times = await interleaved(
    {
      node: () => start('-e', '0'),
      version: () => start(program, '--version'),
      help: () => start(program, '--help'),
      list: () => start(program, '--provider', 'offline', '-p', 'list .'),
      find: () => start(program, '--provider', 'offline', '-p', 'find TODO'),
    },
    25,
  );
  report('node -e 0', times.node, times.node);
  report('--version', times.version, times.node, 1.3);
  report('--help', times.help, times.node);
  report('offline -p "list ."', times.list, times.node, 3);
  report('offline -p "find TODO" (starts ripgrep)', times.find, times.node, 3);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
