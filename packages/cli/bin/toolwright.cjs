#!/usr/bin/env node
'use strict';
// Loads the program's chunks through a code cache: V8 keeps what it compiled, so later starts skip the parsing.
// Every failure around the cache is ignored; the worst case is a slower start.
const fs = require('node:fs');
const path = require('node:path');

const dist = path.join(__dirname, '../dist');
const flag = process.argv.length === 3 ? process.argv[2] : '';

if (flag === '--version' || flag === '-v') {
  process.stdout.write(`${require('../package.json').version}\n`);
} else {
  const load = createLoad();
  if (flag === '--help' || flag === '-h') load('help.cjs').printHelp();
  else load('main.cjs', 'program.cjs').main();
}

/** A file of ours holds one chunk or several, by name. */
function createLoad() {
  const vm = require('node:vm');
  const folder = cacheFolder();
  const chunks = {};
  const modules = new Map();
  const scripts = [];
  process.once('exit', () => scripts.forEach(keep));

  return load;

  function load(name, file = name) {
    const known = modules.get(name);
    if (known) return known.exports;
    if (!chunks[name]) Object.assign(chunks, compile(file));
    const module = { exports: {} };
    modules.set(name, module);
    chunks[name].call(module.exports, module.exports, requireHere, module, path.join(dist, name), dist);
    return module.exports;
  }

  function requireHere(id) {
    return id.startsWith('./') ? load(id.slice(2)) : require(id);
  }

  function compile(file) {
    const filename = path.join(dist, file);
    const cacheFile = folder && path.join(folder, `${file}.bin`);
    const cachedData = cacheFile && readOrNothing(cacheFile);
    const script = new vm.Script(fs.readFileSync(filename, 'latin1'), {
      filename,
      cachedData,
      importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const size = cachedData && !script.cachedDataRejected ? cachedData.length : 0;
    if (cacheFile) scripts.push({ script, cacheFile, size });
    return script.runInThisContext();
  }
}

function cacheFolder() {
  try {
    const home =
      process.env.TOOLWRIGHT_HOME ||
      path.join(process.env.HOME || require('node:os').homedir(), '.toolwright');
    const buildId = fs.readFileSync(path.join(dist, 'build-id'), 'latin1');
    return path.join(home, 'cache/code', `${buildId}-${process.version}-${process.arch}`);
  } catch {
    return null;
  }
}

function readOrNothing(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * At exit, so that the functions this run used are in the cache too. Now and then a run looks whether it has
 * compiled more than the cache holds: the first run may have used little of the program.
 */
function keep({ script, cacheFile, size }) {
  if (size > 0 && Math.random() > 0.05) return;
  try {
    const data = script.createCachedData();
    if (data.length < size * 1.02) return;
    const home = path.resolve(cacheFile, '../../../..');
    // Not with its parents: where none can be made, Node tries without end.
    if (!fs.existsSync(home)) fs.mkdirSync(home, { mode: 0o700 });
    fs.mkdirSync(path.dirname(cacheFile), { recursive: true, mode: 0o700 });
    const temporary = `${cacheFile}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, cacheFile);
  } catch {
    // The next run tries again.
  }
}
