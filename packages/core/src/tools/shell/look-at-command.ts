import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { Flag } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { gitConfigurations } from '@toolwright/machine/host/git/git-configurations.js';
import { entriesOf } from '@toolwright/machine/host/plain-files/entries-of.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { afterLinks, isInside, outsideWorkspace } from '@toolwright/machine/host/workspace.js';
import { analyseCommand } from '@toolwright/machine/shell/analyse.js';
import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';
import { type FullScreenProgram, fullScreenProgram } from '@toolwright/machine/shell/models/full-screen.js';
import { isPlainlyRead } from '@toolwright/machine/shell/plainly-read.js';
import { bash, programsOfTheMachine } from './launch.js';
import type { OutsideParams } from './outside/outside-params.js';
import { nothingOutside, type ResolvedOutside, resolveOutside } from './outside/resolve-outside.js';
import type { ShellHost, ShellParams, ShellParts } from './parts.js';

/** What is known of a command before it runs. */
export interface LookedAt {
  analysis: ShellAnalysis;
  /** Absolute. */
  directory: string;
  sandbox: SandboxState;
  /** The person typed it. */
  isOwn: boolean;
  /** What it is to reach beyond the sandbox. */
  outside: ResolvedOutside;
  effects: Effect[];
  /** Secret places that the command names or could reach. */
  secrets: Flag[];
}

/** What looking takes at most: a search for denied files, and a start of bash that runs nothing. */
const LIMIT_MS = 20_000;
const MOST_NAMED = 10;

export async function lookAtCommand(
  params: ShellParams,
  host: ShellHost,
  parts: ShellParts,
): Promise<LookedAt> {
  const { command, network = false, is_background: background = false } = params;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const directory = directoryOf(params, host);
  const analysis = await analyseCommand(command, {
    directory,
    roots: host.workspace.roots.map(({ path }) => path),
    home: homeDirectory(parts.environment),
    realPath: afterLinks,
    entriesOf,
    gitConfigurations,
  });
  if (analysis.refused !== null) throw new ToolError('invalid_params', analysis.refused);
  const isOwn = parts.isOwn(command);
  // A job has a terminal.
  const drawing = background ? null : fullScreenProgram(analysis.commands ?? []);
  if (drawing) throw new ToolError('invalid_params', needsTerminal(drawing, isOwn));
  const outside = params.outside ? lookOutside(params.outside, host, parts) : nothingOutside;
  const sandbox = isOwn ? ownRights : await parts.sandbox.state(signal);
  const doubts = [...analysis.doubts];
  const reached: string[] = [];
  if (isOwn) doubts.push('you typed it');
  else if (outside.effects.length > 0) doubts.push('it reaches beyond the sandbox');
  else if (network || background)
    doubts.push(network ? 'it may use the network' : 'it goes on in the background');
  else if (analysis.readOnly) {
    if (!isPlainlyRead(command) && !(await bashAgrees(command, directory, { host, parts })))
      doubts.push('bash reads the command line differently');
    const unheld = sandbox.confined ? [] : await hiddenBelow(analysis.reads, parts, signal);
    if (unheld.length > 0)
      doubts.push('it could read what a rule denies or what is secret, and nothing confines it');
    reached.push(...unheld.filter((path) => parts.secretReason(path) !== null).slice(0, MOST_NAMED));
  }
  const execute: Effect = {
    kind: 'execute',
    command,
    directory,
    readOnly: doubts.length === 0,
    // With nothing to keep it from the network, what is known to reach it is asked about.
    network: network || isOwn || (!sandbox.confined && analysis.network.length > 0),
    background,
    commands: analysis.commands,
    unproven: analysis.unproven,
    ...(analysis.beyond.length > 0 ? { beyond: analysis.beyond } : {}),
    offers: analysis.offers,
    ...(doubts.length > 0 ? { doubts } : {}),
    ...(isOwn ? { own: true } : {}),
    ...(sandbox.confined ? {} : { unconfined: isOwn || parts.sandbox.mode === 'off' ? 'chosen' : 'missing' }),
  };
  const secrets = [...new Set([...analysis.reads, ...reached])].flatMap((path): Flag[] => {
    const why = parts.secretReason(path);
    return why === null ? [] : [{ path, why: `it can read this, which holds ${why}` }];
  });
  const effects = [execute, ...outside.effects, ...declared(analysis), ...reached.map(asRead)];
  return { analysis, directory, sandbox, isOwn, outside, effects, secrets };
}

/** After links, because that is where the command runs; a link that leads out of the roots is refused in every mode. */
function directoryOf({ directory = '.' }: ShellParams, { workspace }: ShellHost): string {
  const given = workspace.resolve(directory);
  const real = afterLinks(given);
  if (workspace.rootOf(real) === undefined) throw outsideWorkspace(directory, workspace.roots, real);
  return real;
}

function lookOutside(params: OutsideParams, { workspace }: ShellHost, parts: ShellParts): ResolvedOutside {
  const { environment, ownPlaces } = parts;
  return resolveOutside(params, { environment, ownPlaces, roots: workspace.roots.map(({ path }) => path) });
}

/** Said at once: without a terminal such a program waits for keys until its time is up. */
function needsTerminal({ name, kind, without }: FullScreenProgram, isOwn: boolean): string {
  const scripted = without === undefined ? '' : ` \`${name} ${without}\` does without one.`;
  const instead = isOwn
    ? 'Start it in another window, or put this program to sleep with Ctrl+Z first.'
    : kind === 'editor'
      ? 'Use edit or write_file to change files.'
      : 'Use a command that prints and ends.';
  return `${name} needs a terminal, and a command has none here. ${instead}${scripted}`;
}

const ownRights: SandboxState = { confined: false, sentence: 'with your own rights', program: null };

/** What an option or a redirection changes is declared; what a program is there to change goes with the program. */
function declared({ reads, writes, deletes, ordinary }: ShellAnalysis): Effect[] {
  const change = (kind: 'write' | 'delete', path: string): Effect => ({
    kind,
    path,
    declared: ordinary.includes(path) ? 'purpose' : 'by the way',
  });
  return [
    ...deletes.map((path) => change('delete', path)),
    ...writes.map((path) => change('write', path)),
    ...reads.map(asRead),
  ];
}

function asRead(path: string): Effect {
  return { kind: 'read', path };
}

/** Two readers of one language: where they differ, nothing is automatic. */
async function bashAgrees(
  command: string,
  directory: string,
  { host, parts }: { host: ShellHost; parts: ShellParts },
): Promise<boolean> {
  const launch = bash(['-n', '-c', command], directory, parts, programsOfTheMachine(host, parts));
  const { exitCode } = await parts.processes.run(launch, {
    signal: AbortSignal.timeout(LIMIT_MS),
    startsNothing: true,
  });
  return exitCode === 0;
}

/** Without a sandbox a rule that denies reading holds only for paths that stand in the command line. */
async function hiddenBelow(
  reads: readonly string[],
  parts: ShellParts,
  signal: AbortSignal,
): Promise<string[]> {
  const hidden = await parts.hiddenPaths(reads, signal);
  return hidden.filter((path) => reads.some((read) => isInside(path, read)));
}
