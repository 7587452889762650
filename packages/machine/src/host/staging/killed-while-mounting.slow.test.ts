import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStage } from '../../changes/staged-run/fixtures/temp-staged.js';
import { processesNaming } from '../../testing/processes-naming.js';
import { removeTree } from '../leases/owned-folder.js';
import { countOverlayWays } from './overlay.js';

const canMount = await canStage();
if (!canMount) console.log('skipped: no overlays here, so nobody is killed while one is mounted');
const folder = mkdtempSync(join(tmpdir(), 'killed-while-mounting-'));
const program = join(folder, 'program.mjs');

beforeAll(() =>
  build({
    entryPoints: [fileURLToPath(new URL('./fixtures/dies-at-stop.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ways = Array.from({ length: countOverlayWays() }, (_, way) => way);
describe.runIf(canMount).each(ways)(
  'a program that is killed while it takes hold of mounts, way %i',
  (way) => {
    it.each(['view', 'search', 'staged'])('leaves no process in them: %s', async (what) => {
      const { stdout, stderr, signal } = spawnSync(process.execPath, [program, what, String(way)], {
        encoding: 'utf8',
        timeout: 60_000,
      });
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      const outside = stdout.trim();
      expect(outside).toMatch(/^\/./);
      await expect.poll(() => processesNaming(outside)).toEqual([]);
      await removeTree(dirname(outside));
    });
  },
);
