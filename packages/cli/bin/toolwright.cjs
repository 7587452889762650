#!/usr/bin/env node
'use strict';
// Loads the program's chunks through a code cache: V8 keeps what it compiled, so later starts skip the parsing.
// Every failure around the cache is ignored; the worst case is a slower start.
const fs = require('node:fs');
const path = require('node:path');

const dist = path.join(__dirname, '../dist');
const flag = process.argv.length === 3 ? process.argv[2] : '';

if (flag === '--version' || flag === '-v') {
  printVersion();
} else {
  // Help is small, and leaves nothing behind.
  if (flag === '--help' || flag === '-h') createLoad(null)('help.cjs').printHelp();
  // Only threads of the program are started with it.
  else if (flag === '--tool-thread') createLoad(cacheFolder(), 'program.cjs')('tool-thread.cjs');
  else createLoad(cacheFolder())('main.cjs', 'program.cjs').main();
}

/** Without a module and a stream, which would take longer than everything else here. */
function printVersion() {
  const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'latin1'));
  try {
    fs.writeSync(1, `${version}\n`);
  } catch (error) {
    // Nobody reads it.
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(
      `toolwright: The output can't be written: ${error.message}. Make room, or send it elsewhere.\n`,
    );
  }
}

/** A file of ours holds one chunk or several, by name. */
function createLoad(folder, first) {
  const vm = require('node:vm');
  const chunks = {};
  const modules = new Map();
  const others = {};
  const scripts = [];
  process.once('exit', () => {
    for (const script of scripts) keep({ ...script, ran: script.names.filter((name) => modules.has(name)) });
  });

  if (first) Object.assign(chunks, compile(first));
  return load;

  function load(name, file = name) {
    const known = modules.get(name);
    if (known) return known.exports;
    if (!chunks[name]) Object.assign(chunks, compile(file));
    const module = { exports: {} };
    modules.set(name, module);
    chunks[name].call(module.exports, module.exports, requireHere, module, dist + path.sep + name, dist);
    return module.exports;
  }

  function requireHere(id) {
    return id.startsWith('./') ? load(id.slice(2)) : (others[id] ??= require(id));
  }

  function compile(file) {
    const filename = path.join(dist, file);
    const cacheFile = folder && path.join(folder, `${file}.bin`);
    const cache = cacheFile && readCache(cacheFile);
    const script = new vm.Script(fs.readFileSync(filename, 'latin1'), {
      filename,
      cachedData: cache?.code,
      importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const made = script.runInThisContext();
    const used = script.cachedDataRejected ? undefined : cache;
    if (cacheFile) scripts.push({ script, cacheFile, cache: used, names: Object.keys(made) });
    return made;
  }
}

function cacheFolder() {
  try {
    const home =
      process.env.TOOLWRIGHT_HOME ||
      path.join(process.env.HOME || require('node:os').homedir(), '.toolwright');
    // A relative path would lead into the current folder, whose files nobody vouches for.
    if (!path.isAbsolute(home)) return null;
    const buildId = fs.readFileSync(path.join(dist, 'build-id'), 'utf8');
    const folder = path.join(home, 'cache/code', `${buildId}-${process.version}-${process.arch}`);
    return isOfOurs(folder) ? folder : null;
  } catch {
    return null;
  }
}

/** From the state folder, which may be a link, down to the folder of this build, which may not be there yet. */
function placesAbove(folder) {
  return ['../../..', '../..', '..', '.'].map((above) => path.resolve(folder, above));
}

/** What lies there is run, so nobody else may have had a hand in it: as root with the home of another user, that user. */
function isOfOurs(folder) {
  return placesAbove(folder).every((place, index) => {
    const look = index === 0 ? fs.statSync : fs.lstatSync;
    const found = look(place, { throwIfNoEntry: false });
    return found === undefined || (found.isDirectory() && isOurs(found));
  });
}

function isOurs({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

/**
 * The compiled code twice, the names of the chunks that had run when it was kept, and the length of the names. Twice,
 * because V8 trusts what it is given: one damaged byte would crash this and every later start, and nothing finds it
 * as fast as a comparison.
 */
function readCache(file) {
  try {
    const bytes = readOurs(file);
    const end = bytes.length - 4;
    const start = end - bytes.readUInt32LE(end);
    const code = bytes.subarray(0, start / 2);
    if (!code.equals(bytes.subarray(start / 2, start))) return undefined;
    return { code, ran: bytes.latin1Slice(start, end).split(' ') };
  } catch {
    return undefined;
  }
}

/** Asked of the open file, which nobody can exchange any more. */
function readOurs(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fs.fstatSync(descriptor);
    if (!found.isFile() || !isOurs(found)) throw new Error('not ours');
    return fs.readFileSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** One by one: a recursive mkdir never returns where a folder can't be made although its parent is there, as in /proc. */
function makeFolder(folder) {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}

/**
 * At exit, so that the functions this run used are in the cache too. It is kept anew by a run that needed more
 * chunks, and now and then by one that may have compiled more of the same.
 */
function keep({ script, cacheFile, cache, ran }) {
  try {
    const isCovered = cache && ran.every((name) => cache.ran.includes(name));
    if (isCovered && Math.random() > 0.05) return;
    const code = script.createCachedData();
    if (isCovered && code.length < cache.code.length * 1.02) return;
    const names = Buffer.from([...new Set([...ran, ...(cache?.ran ?? [])])].join(' '), 'latin1');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(names.length);
    const folder = path.dirname(cacheFile);
    placesAbove(folder).forEach(makeFolder);
    if (!isOfOurs(folder)) return;
    const temporary = `${cacheFile}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, Buffer.concat([code, code, names, length]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, cacheFile);
  } catch {
    // The next run tries again.
  }
}
