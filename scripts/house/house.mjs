import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, libraries, root } from '../setup.mjs';

/** Prints the figures of the house: how large its rooms, files and functions are, and what is named twice. */
ensureInstalled();
const { readSources } = await import('./read-sources.mjs');
const { loadSource } = await import('../../bench/measure.mjs');
const { findViolations } = await loadSource(`export { findViolations } from './scripts/architecture.ts';`);
const sources = readSources();

printRooms();
printSizes();
printTypes();
printTools();
printPublicNames();

function printRooms() {
  const rooms = groupByRoom();
  const rows = [...rooms].map(([room, files]) => [
    room,
    files.length,
    sum(files),
    quantile(
      files.map(({ lines }) => lines),
      0.5,
    ),
  ]);
  rows.sort((left, right) => right[2] - left[2]);
  print('room', 'files', 'lines', 'median file');
  for (const row of rows) print(...row);
  print('all', sources.length, sum(sources), '');
  print('');
}

function groupByRoom() {
  const rooms = new Map();
  for (const source of sources) rooms.set(source.room, [...(rooms.get(source.room) ?? []), source]);
  return rooms;
}

function printSizes() {
  const functions = sources.flatMap(({ path, functions }) => functions.map((one) => ({ ...one, path })));
  for (const [what, all] of [
    ['file', sources],
    ['function', functions.filter(({ name }) => name)],
  ]) {
    const lines = all.map((one) => one.lines);
    const largest = all.reduce((one, other) => (other.lines > one.lines ? other : one));
    const where = what === 'file' ? largest.path : `${largest.name} in ${largest.path}`;
    print(
      `lines per ${what}`,
      `median ${quantile(lines, 0.5)}`,
      `p90 ${quantile(lines, 0.9)}`,
      `largest ${largest.lines}: ${where}`,
    );
  }
  const violations = findViolations(new Map(sources.map(({ path, text }) => [path, text])));
  print(`import cycles: ${violations.filter((one) => one.startsWith('Import cycle')).length}`);
  print('');
}

function printTypes() {
  const places = new Map();
  for (const { types, package: of } of sources)
    for (const name of types) places.set(`${of} ${name}`, (places.get(`${of} ${name}`) ?? 0) + 1);
  const doubled = [...places].filter(([, count]) => count > 1).sort((left, right) => right[1] - left[1]);
  print(`type names declared more than once in a package: ${doubled.length} of ${places.size}`);
  for (const [name, count] of doubled.slice(0, 12)) print(`  ${name}`, count);
  print('');
}

/** Whoever adds a tool must touch every file in which an existing tool's class or name stands. */
function printTools() {
  const builtin = readFileSync(join(root, 'packages/core/src/tools/builtin.ts'), 'utf8');
  const classes = [...builtin.matchAll(/new (\w+Tool)\(/g)].map(([, name]) => name);
  print('files that name a built-in tool (its own file aside):');
  for (const name of classes) {
    const own = sources.find(({ text }) => text.includes(`export class ${name} `));
    const called = /\bname: '([a-z_]+)'/.exec(own?.text ?? '')?.[1];
    const naming = new RegExp(called ? `\\b${name}\\b|'${called}'` : `\\b${name}\\b`);
    const files = sources.filter((source) => source !== own && naming.test(source.text));
    print(`  ${name}`, files.length, files.map(({ path }) => path.split('/').slice(3).join('/')).join(' '));
  }
  print('');
}

function printPublicNames() {
  const entries = [...libraries.map((name) => `${name}/src/index.ts`), 'core/src/testing/index.ts'];
  for (const entry of entries.map((name) => `packages/${name}`)) {
    const text = readFileSync(join(root, entry), 'utf8');
    const names = [...text.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, type, list]) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean)
        .map((name) => (type ? `type ${name}` : name)),
    );
    const values = names.filter((name) => !name.startsWith('type '));
    print(`public names of ${entry}`, names.length, `${values.length} of them values`);
  }
}

function sum(files) {
  return files.reduce((total, { lines }) => total + lines, 0);
}

function quantile(numbers, share) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

function print(first, ...rest) {
  console.log(
    [String(first).padEnd(44), ...rest.map((cell) => String(cell).padStart(8))].join(' ').trimEnd(),
  );
}
