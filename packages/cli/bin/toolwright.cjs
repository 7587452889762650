#!/usr/bin/env node
'use strict';
// Loads the program's chunks through a code cache: V8 keeps what it compiled, so later starts skip the parsing.
// Every failure around the cache is ignored; the worst case is a slower start.
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const dist = path.join(__dirname, '../dist');
const toKeep = [];
const flag = process.argv.length === 3 ? process.argv[2] : '';

if (flag === '--version' || flag === '-v') {
  process.stdout.write(`${require('../package.json').version}\n`);
} else if (flag === '--help' || flag === '-h') {
  load('help.cjs').printHelp();
} else {
  load('main.cjs').main();
}

function load(name) {
  load.modules ??= new Map();
  load.folder ??= cacheFolder();
  const known = load.modules.get(name);
  if (known) return known.exports;
  const file = path.join(dist, name);
  const cacheFile = load.folder && path.join(load.folder, `${name}.bin`);
  const cachedData = cacheFile && readOrNothing(cacheFile);
  const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, 'utf8')}\n})`;
  const script = new vm.Script(source, {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cacheFile && (!cachedData || script.cachedDataRejected)) toKeep.push({ file: cacheFile, script });
  const module = { exports: {} };
  load.modules.set(name, module);
  const requireHere = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  requireHere.resolve = require.resolve;
  script.runInThisContext().call(module.exports, module.exports, requireHere, module, file, dist);
  return module.exports;
}

function cacheFolder() {
  try {
    const home = process.env.TOOLWRIGHT_HOME || path.join(require('node:os').homedir(), '.toolwright');
    const buildId = fs.readFileSync(path.join(dist, 'build-id'), 'utf8');
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

/** At exit, so that the functions this run used are in the cache too. */
process.once('exit', () => {
  for (const { file, script } of toKeep) keep(file, script);
});

function keep(file, script) {
  try {
    const home = path.resolve(file, '../../../..');
    fs.mkdirSync(home, { recursive: true, mode: 0o700 });
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch {
    // The next run tries again.
  }
}
