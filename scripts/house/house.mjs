import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, libraries, root } from '../setup.mjs';

/** Prints the figures of the house: sizes of its rooms, files and functions, doubled names, and the cost of a new tool. */
ensureInstalled();
const { readSources } = await import('./read-sources.mjs');
const { loadSource } = await import('../../bench/measure.mjs');
const { doubledTypeNames, findViolations } = await loadSource(
  `export { doubledTypeNames, findViolations } from './scripts/architecture.ts';`,
);
const sources = readSources();
const texts = new Map(sources.map(({ path, text }) => [path, text]));

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
    quantile(linesOf(files), 0.5),
  ]);
  rows.sort((left, right) => right[2] - left[2]);
  print('room', 'files', 'lines', 'median file');
  for (const row of rows) print(...row);
  print('all', sources.length, sum(sources), quantile(linesOf(sources), 0.5));
  print('');
}

function groupByRoom() {
  const rooms = new Map();
  for (const source of sources) rooms.set(source.room, [...(rooms.get(source.room) ?? []), source]);
  return rooms;
}

function printSizes() {
  const functions = sources.flatMap(({ path, functions }) =>
    functions.filter(({ name }) => name).map(({ name, lines }) => ({ lines, path: `${name} in ${path}` })),
  );
  printSize('file', sources);
  printSize('function', functions);
  const long = functions.filter(({ lines }) => lines > 50).sort((one, other) => other.lines - one.lines);
  print('functions above 50 lines', long.length);
  for (const { lines, path } of long) print(`  ${lines}`, path);
  const cycles = findViolations(texts).filter((one) => one.startsWith('Import cycle'));
  print('import cycles', cycles.length);
  print('');
}

function printSize(what, all) {
  const lines = linesOf(all);
  const largest = all.reduce((one, other) => (other.lines > one.lines ? other : one));
  print(
    `lines per ${what}`,
    `median ${quantile(lines, 0.5)}`,
    `p90 ${quantile(lines, 0.9)}`,
    `largest ${largest.lines}: ${largest.path}`,
  );
}

function printTypes() {
  const doubled = doubledTypeNames(texts);
  const count = new Set(sources.flatMap(({ package: of, types }) => types.map((name) => `${of} ${name}`)))
    .size;
  print('type names declared twice in a package', doubled.size, `of ${count}`);
  for (const [name, files] of doubled) print(`  ${name}`, files.length, files.map(short).join(' '));
  print('');
}

/** Files that import a tool's class must change for a new tool; files that call one by its name need not. */
function printTools() {
  const tools = builtinTools();
  const lists = sources.filter(({ text }) => tools.some(({ className }) => imports(text, className)));
  const listed = [...lists.map(({ path }) => short(path)), ...documentsNaming(tools)];
  print('files to touch for a new tool', 2 + listed.length, `its own, its test, ${listed.join(' ')}`);
  print('files that call a built-in tool by its name');
  for (const { name, own } of tools) {
    const callers = sources.filter((source) => source !== own && callsByName(source, name));
    print(`  ${name}`, callers.length, paths(callers));
  }
  print('');
}

/** The lists of sentences and tools, which are no sources, as far as they name every tool. */
function documentsNaming(tools) {
  const isNamed = {
    'packages/core/messages.txt': (text, { own }) =>
      text.includes(`\n${short(own.path).replace('core/', '')}\n`),
    'docs/models.md': (text, { name }) => text.includes(`\`${name}\``),
  };
  return Object.keys(isNamed).filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return tools.every((tool) => isNamed[path](text, tool));
  });
}

function builtinTools() {
  const list = texts.get('packages/core/src/tools/builtin.ts');
  return [...list.matchAll(/new (\w+Tool)\(/g)].map(([, className]) => {
    const own = sources.find(({ text }) => text.includes(`export class ${className} `));
    return { className, own, name: /\bname: '([a-z_]+)'/.exec(own.text)[1] };
  });
}

function imports(text, className) {
  return new RegExp(`^import \\{[^}]*\\b${className}\\b[^}]*\\} from`, 'm').test(text);
}

/** The packages below core know no tools: a `glob` there is a word of the shell. A `kind` names a kind of question. */
function callsByName({ package: of, text }, name) {
  if (of === 'machine' || of === 'mcp') return false;
  const named = new RegExp(name.includes('_') ? `'${name}'|\\b${name}:` : `'${name}'`);
  return named.test(text.replaceAll(/\bkind(:| [!=]==) '[a-z_]+'|\bcase '[a-z_]+'/g, ''));
}

function printPublicNames() {
  const others = ['core/src/front-end.ts', 'core/src/testing/index.ts'];
  const entries = [...libraries.map((name) => `${name}/src/index.ts`), ...others];
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
    print(`public names of ${short(entry)}`, names.length, `${values.length} of them values`);
  }
}

function paths(files) {
  return files.map(({ path }) => short(path)).join(' ');
}

function short(path) {
  return path.replace(/^packages\/([a-z]+)\/src\//, '$1/');
}

function linesOf(all) {
  return all.map(({ lines }) => lines);
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
