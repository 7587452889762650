/**
 * Runs the suite that both engines of the fleet keep, and prints a line for each of its cases with the results side by side.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './measure.mjs';

const engines = {
  files: 'packages/fleet/src/engine/files/open-files.slow.test.ts',
  nats: 'packages/fleet/src/engine/nats/open-nats.slow.test.ts',
};

/** The results of an engine by the name of the case, without the name of the engine. */
function resultsOf(engine, path) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-fleet-suite-'));
  const file = join(folder, 'results.json');
  const words = ['vitest', 'run', '--project', 'slow', path, '--reporter=json', `--outputFile=${file}`];
  spawnSync('npx', words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
    const cases = testResults.flatMap(({ assertionResults }) => assertionResults);
    return new Map(
      cases.flatMap(({ ancestorTitles, title, status, duration = 0 }) => {
        const group = ancestorTitles.find((name) => name.startsWith(`${engine}: `));
        const shown = `${status === 'passed' ? 'ok' : status} ${(duration / 1_000).toFixed(1)} s`;
        return group === undefined ? [] : [[`${group.slice(engine.length + 2)} ${title}`, shown]];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = Object.entries(engines).map(([engine, path]) => resultsOf(engine, path));
const names = new Set(results.flatMap((each) => [...each.keys()]));
const shown = (name) => results.map((each) => (each.get(name) ?? 'not run').padEnd(10));
console.log(
  `${Object.keys(engines)
    .map((engine) => engine.padEnd(10))
    .join(' ')} case`,
);
for (const name of names) console.log(`${shown(name).join(' ')} ${name}`);
const alike = [...names].filter((name) => results.every((each) => each.get(name)?.startsWith('ok')));
console.log(`${alike.length} of ${names.size} cases hold with both engines`);
