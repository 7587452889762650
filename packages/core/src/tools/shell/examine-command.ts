import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { PathWarning } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { gitConfigurations } from '@toolwright/machine/host/git/git-configurations.js';
import { entriesOf } from '@toolwright/machine/host/plain-files/regular-file.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { isInside, outsideWorkspace } from '@toolwright/machine/host/workspace.js';
import { analyseCommand, isPlainlyRead } from '@toolwright/machine/shell/analyse.js';
import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';
import { isAboutNetwork, MAY_USE_NETWORK } from '@toolwright/machine/shell/findings.js';
import { type FullScreenProgram, fullScreenProgram } from '@toolwright/machine/shell/models/full-screen.js';
import type { Asker } from '../tools.js';
import type { CommandFacts, ShellCall, ShellHost, ShellNeeds, ShellParams } from './call.js';
import { bash, programsOfTheMachine } from './launch.js';
import { nothingOutside, type ResolvedOutside, resolveOutside } from './outside/resolve-outside.js';

/** A call whose facts are still being gathered. */
type Examined = Pick<ShellCall, 'params' | 'host' | 'needs'>;

/** Limit of an examination: it may search for denied files, and start a bash that runs nothing. */
const LIMIT_MS = 20_000;
const MOST_NAMED = 10;

/** Finds out what a command would do, without running it. */
export async function examineCommand(call: Examined, by?: Asker): Promise<CommandFacts> {
  const { params, host, needs } = call;
  const signal = deadlineIn(LIMIT_MS);
  const isOwn = by === 'user';
  const directory = directoryOf(params, host);
  const analysis = await analyse(call, directory);
  // A job has a terminal.
  const fullScreen = params.is_background ? null : fullScreenProgram(analysis.commands ?? []);
  if (fullScreen) throw new ToolError('invalid_params', needsTerminal(fullScreen, isOwn));
  const outside = outsideOf(params, host, needs);
  const sandbox = isOwn ? ownRights : await needs.sandbox.state(signal);
  const found = { analysis, directory, sandbox, isOwn, outside };
  const { doubts, onlyReads, exposed } = await doubtsOf(call, found, signal);
  const secret = exposed.filter((path) => needs.permission.secretReason(path) !== null).slice(0, MOST_NAMED);
  const effects = [
    executeEffect(call, found, { doubts, onlyReads }),
    ...outside.effects,
    ...declaredEffects(analysis),
    ...secret.map(asRead),
  ];
  return { ...found, effects, secrets: secretsAmong([...analysis.reads, ...secret], needs) };
}

async function analyse({ params, host, needs }: Examined, directory: string): Promise<ShellAnalysis> {
  const { place } = host.workspace;
  const analysis = await analyseCommand(params.command, {
    directory,
    roots: host.workspace.roots.map(({ path }) => path),
    home: homeDirectory(needs.environment),
    realPath: place.afterLinks,
    entriesOf: (folder, most) => entriesOf(place.follow(folder), most),
    gitConfigurations: (folder) => gitConfigurations(folder, place),
  });
  if (analysis.refused !== null) throw new ToolError('invalid_params', analysis.refused);
  return analysis;
}

/** After links, because that is where the command runs; a link that leads out of the roots is refused in every mode. */
function directoryOf({ directory = '.' }: ShellParams, { workspace }: ShellHost): string {
  const given = workspace.resolve(directory);
  const real = workspace.place.afterLinks(given);
  if (workspace.rootOf(real) === undefined) throw outsideWorkspace(directory, workspace.roots, real);
  return real;
}

function outsideOf({ outside }: ShellParams, { workspace }: ShellHost, needs: ShellNeeds): ResolvedOutside {
  if (!outside) return nothingOutside;
  const { environment, ownPlaces } = needs;
  return resolveOutside(outside, { environment, ownPlaces, roots: workspace.roots.map(({ path }) => path) });
}

/** Without a terminal such a program would wait for keys until its time is up. */
function needsTerminal({ name, kind, without }: FullScreenProgram, isOwn: boolean): string {
  const scripted = without === undefined ? '' : ` \`${name} ${without}\` does without one.`;
  const instead = isOwn
    ? 'It works in another window, or after Ctrl+Z, which puts Toolwright to sleep.'
    : kind === 'editor'
      ? 'Change files with the tools for that.'
      : 'Use a command that prints and ends.';
  return `${name} needs a terminal, and a command has none here. ${instead}${scripted}`;
}

const ownRights: SandboxState = { confined: false, sentence: 'with your own rights', program: null };

type FirstFacts = Pick<CommandFacts, 'analysis' | 'directory' | 'sandbox' | 'isOwn' | 'outside'>;

interface Doubts {
  /** Reasons, for the user, why the command does not run unasked, the one that counts most first; empty for one that is proven to only read. */
  doubts: string[];
  /** The command line only reads, whatever else there is to ask about. */
  onlyReads: boolean;
  /** Paths that the rules hide and nothing hides from this command. */
  exposed: readonly string[];
}

async function doubtsOf(call: Examined, found: FirstFacts, signal: AbortSignal): Promise<Doubts> {
  const { analysis, isOwn } = found;
  const circumstance = circumstanceOf(call, found);
  if (circumstance !== null || !analysis.readOnly) {
    return {
      doubts: inOrder(analysis.doubts, circumstance),
      onlyReads: analysis.readOnly && !isOwn,
      exposed: [],
    };
  }
  const [isAgreed, exposed] = await Promise.all([
    isPlainlyRead(call.params.command) || bashAgrees(call),
    exposedPaths(call, found, signal),
  ]);
  const doubts = isAgreed ? [] : ['bash reads the command line differently'];
  if (exposed.length > 0)
    doubts.push('it could read what a rule denies or what is secret, and nothing confines it');
  return { doubts, onlyReads: isAgreed, exposed };
}

/**
 * Reasons to ask, the one that makes the question needed first: what a line changes is asked about once it has run on a copy. A program
 * that is known to reach the network says more than that the command may.
 */
function inOrder(doubts: readonly string[], circumstance: string | null): string[] {
  if (circumstance === null) return [...doubts];
  const known = circumstance === MAY_USE_NETWORK ? doubts.filter(isAboutNetwork) : [];
  return [...known, circumstance, ...doubts.filter((doubt) => !known.includes(doubt))];
}

/** A reason to ask that does not stand in the command line. */
function circumstanceOf({ params }: Examined, { isOwn, outside }: FirstFacts): string | null {
  if (isOwn) return 'you typed it';
  if (outside.effects.length > 0) return 'it reaches beyond the sandbox';
  if (params.network) return MAY_USE_NETWORK;
  return params.is_background ? 'it keeps running in the background' : null;
}

/** Two readers of one language: where they differ, nothing is automatic. */
async function bashAgrees({ params, host, needs }: Examined): Promise<boolean> {
  const launch = bash(params.command, '/', needs, {
    values: programsOfTheMachine(host, needs),
    options: ['-n'],
  });
  const { exitCode } = await needs.processes.run(launch, {
    signal: deadlineIn(LIMIT_MS),
    startsNothing: true,
  });
  return exitCode === 0;
}

/** Without a sandbox a rule that denies reading holds only for paths that stand in the command line. */
async function exposedPaths(
  { needs }: Examined,
  { analysis: { reads }, sandbox }: FirstFacts,
  signal: AbortSignal,
): Promise<string[]> {
  if (sandbox.confined) return [];
  const hidden = await needs.hiddenPaths(reads, signal);
  return hidden.filter((path) => reads.some((read) => isInside(path, read)));
}

function executeEffect(
  { params, needs }: Examined,
  { analysis, directory, sandbox, isOwn }: FirstFacts,
  { doubts, onlyReads }: Pick<Doubts, 'doubts' | 'onlyReads'>,
): Effect {
  const { command, network = false, is_background: background = false } = params;
  return {
    kind: 'execute',
    command,
    directory,
    readOnly: doubts.length === 0,
    onlyReads: doubts.length > 0 && onlyReads ? true : undefined,
    // Without a sandbox nothing keeps a command from the network, so one that is known to reach it is asked about.
    network: network || isOwn || (!sandbox.confined && analysis.network.length > 0),
    background,
    commands: analysis.commands,
    unproven: analysis.unproven,
    beyond: analysis.beyond.length > 0 ? analysis.beyond : undefined,
    offers: analysis.offers,
    doubts: doubts.length > 0 ? doubts : undefined,
    own: isOwn ? true : undefined,
    unconfined: sandbox.confined ? undefined : isOwn || needs.sandbox.mode === 'off' ? 'chosen' : 'missing',
  };
}

/** Changes that the line names: `by the way` for options and redirections, `purpose` for what the program is there to change. */
function declaredEffects({ reads, writes, deletes, ordinary }: ShellAnalysis): Effect[] {
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

function secretsAmong(paths: readonly string[], { permission }: ShellNeeds): PathWarning[] {
  return [...new Set(paths)].flatMap((path): PathWarning[] => {
    const why = permission.secretReason(path);
    return why === null ? [] : [{ path, why: `it can read this, which holds ${why}` }];
  });
}
