import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs the contestants in turns, so that a noisy machine hits them alike; gives the sorted times of each. With a pause
 * before each, what one leaves for the kernel to tidy up does not count for the next.
 */
export async function interleaved(contestants, rounds, { pauseMs = 0 } = {}) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (const work of Object.values(contestants)) await work();
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const started = performance.now();
      await work();
      times[name].push(performance.now() - started);
    }
  }
  for (const list of Object.values(times)) list.sort((left, right) => left - right);
  return times;
}

/** A folder with so many small files, some in each of 400 folders. */
export function makeTree(folder, count) {
  for (let index = 0; index < count; index++) {
    const inner = join(folder, `d${index % 20}`, `e${Math.floor(index / 20) % 20}`);
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `f${index}.txt`), `file ${index}\n`);
  }
  return folder;
}

export function median(sorted) {
  return sorted[Math.floor(sorted.length / 2)];
}

/** Prints a line: the thing measured, its median, and how it compares with the baseline of the same run. */
export function report(what, times, baseline, target) {
  const ratio = median(times) / median(baseline);
  const best = times[0] / baseline[0];
  const verdict = target === undefined ? '' : `, target ${target} x: ${ratio <= target ? 'ok' : 'MISSED'}`;
  console.log(
    `${what}: ${median(times).toFixed(1)} ms, ${ratio.toFixed(2)} x the baseline (best runs ${best.toFixed(2)} x)${verdict}`,
  );
}

/** Prints a line for processor time, which a busy machine changes least: the medians and their ratio, and the room taken. */
export function reportProcessor(what, runs, baseline, { target, mostMegabytes } = {}) {
  const middle = (list, key) => median(list.map((run) => run[key]).sort((left, right) => left - right));
  const ratio = middle(runs, 'cpuMs') / middle(baseline, 'cpuMs');
  const megabytes = middle(runs, 'megabytes');
  const said = [
    `${what}: ${middle(runs, 'cpuMs').toFixed(0)} ms of processor time, ${ratio.toFixed(2)} x the baseline`,
  ];
  if (target !== undefined) said.push(`target ${target} x: ${ratio <= target ? 'ok' : 'MISSED'}`);
  said.push(`${megabytes.toFixed(0)} MB`);
  if (mostMegabytes !== undefined)
    said.push(`target ${mostMegabytes} MB: ${megabytes <= mostMegabytes ? 'ok' : 'MISSED'}`);
  console.log(said.join(', '));
}

/** Bundles TypeScript source text and imports it; relative imports start at the root of the repository. */
export async function loadSource(contents) {
  return import(await bundleSource(contents));
}

/** As the program does for its users: otherwise a shell that closes inherited descriptors stands before each program. */
const closing = `
  import { closeInheritedDescriptors } from './packages/machine/src/host/processes/launch/child-process.js';
  closeInheritedDescriptors();
`;

/** The address of the bundle, for a process that is to load nothing else. */
export async function bundleSource(contents) {
  const { build } = await import('esbuild');
  const folder = join(root, 'node_modules/.cache/bench');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `source-${process.pid}-${Date.now()}.mjs`);
  await build({
    stdin: { contents: contents + closing, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'warning',
  });
  return pathToFileURL(outfile).href;
}
