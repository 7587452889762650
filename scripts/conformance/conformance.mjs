/**
 * Runs the public conformance suite of the protocol against our client and our server, one scenario at a time, and
 * prints what passed, what failed, and what does not apply. `--side server`, `--revision 2026-07-28` and parts of names
 * choose scenarios.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../build.mjs';
import { root } from '../setup.mjs';
import { notApplicable, notTested } from './not-applicable.mjs';
import { startServer } from './start-server.mjs';
import { openSuite } from './suite.mjs';

const rounds = [
  { version: '0.1.16', revision: '2025-11-25' },
  { version: '0.2.0-alpha.12', revision: '2025-11-25' },
  { version: '0.2.0-alpha.12', revision: '2026-07-28' },
];

/** Server scenarios that need no tools of the suite: `toolwright mcp serve --http` itself is tried. */
const ofProgram = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

const { values: chosen, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { side: { type: 'string' }, suite: { type: 'string' }, revision: { type: 'string' } },
});
const rows = [];
/** Built with the first scenario that needs it. */
let client = null;
try {
  await build();
  const servers = await startServers();
  try {
    for (const round of rounds.filter(isChosen)) await play(round, servers);
  } finally {
    for (const server of Object.values(servers)) await server.close();
  }
  print();
  process.exitCode = rows.some(({ result }) => result === 'failed') ? 1 : 0;
} catch (error) {
  console.error(`conformance: ${error.message}`);
  process.exitCode = 2;
}

function isChosen({ version, revision }) {
  return (chosen.suite ?? version) === version && (chosen.revision ?? revision) === revision;
}

async function play(round, servers) {
  const { version, revision } = round;
  const suite = await openSuite(version);
  const scenarios = await suite.scenarios();
  for (const side of ['client', 'server'].filter((name) => (chosen.side ?? name) === name))
    for (const { name, revisions } of scenarios[side]) {
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
      if (!belongsTo(round, revisions)) continue;
      const why = notApplicable[side][name];
      const args = side === 'client' ? await clientArgs() : serverArgs(name, servers);
      const ended = why
        ? { result: 'not applicable', why }
        : await suite.judge([side, ...args, '--scenario', name, ...versionArgs(revisions, revision)]);
      if (ended.result === 'not tested') ended.why += notTested(side, name, version);
      rows.push({ version, revision, side, name, ...ended });
    }
}

/** Scenarios of extensions, drafts and older revisions are played in the last round of their suite. */
function belongsTo({ version, revision }, revisions) {
  const played = rounds.filter((round) => round.version === version).map((round) => round.revision);
  const isOther = !played.some((each) => revisions.includes(each));
  return isOther ? revision === played.at(-1) : revisions.includes(revision);
}

/** The suite skips such other scenarios when a revision is named. */
function versionArgs(revisions, revision) {
  return revisions.includes(revision) ? ['--spec-version', revision] : [];
}

/** The client as one file that the suite can start. */
async function clientArgs() {
  client ??= buildClient();
  return ['--command', `${process.execPath} ${await client}`];
}

async function buildClient() {
  const esbuild = await import('esbuild');
  const outfile = join(root, 'node_modules/.cache/conformance/client.mjs');
  await esbuild.build({
    entryPoints: [join(root, 'packages/mcp/src/fixtures/conformance-client.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

async function startServers() {
  const program = [join(root, 'packages/cli/bin/toolwright.cjs'), 'mcp', 'serve', '--http'];
  return {
    tools: await startServer([join(root, 'scripts/conformance/tools-server.mjs')]),
    program: await startServer(program),
  };
}

function serverArgs(name, { program, tools }) {
  return ['--url', (ofProgram.includes(name) ? program : tools).url];
}

function print() {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { version, revision, side, name, result, why } of rows)
    console.log(
      `${version}  ${revision}  ${side}  ${name.padEnd(width)}  ${result.padEnd(14)}  ${why}`.trimEnd(),
    );
  for (const { version, revision } of rounds.filter(isChosen))
    for (const side of ['client', 'server']) {
      const ours = rows.filter(
        (row) => row.version === version && row.revision === revision && row.side === side,
      );
      const count = (result) => ours.filter((row) => row.result === result).length;
      if (ours.length === 0) continue;
      console.log(
        `evidence: conformance ${version}, ${revision}, ${side}: ${count('passed')} passed, ${count('failed')} failed, ${count('not tested')} not tested, ${count('not applicable')} not applicable`,
      );
    }
}
