import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { formatCommand } from '@toolwright/machine/base/configuration/command-words.js';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Ended } from '@toolwright/machine/host/processes/processes.js';
import type { CachedJson } from '@toolwright/machine/host/state/cached-json.js';
import { howItEnded, whatWasPrinted, wholeText } from '../programs/printed.js';
import type { ConfinementState, ProgramAccess, RunProgram } from '../programs/program.js';
import { ProgramTool, type ProgramToolNeeds } from '../programs/program-tool.js';
import type { ToolSource } from '../tool-registry.js';
import { type Declaration, type ReadDeclarations, readDeclarations } from './declarations.js';

export interface CommandDiscovery {
  /** Prints the declarations. */
  discoveryCommand: readonly string[];
  /** Gets the name of the tool as one more argument, and the arguments of the call on standard input. */
  callCommand: readonly string[];
  /** The workspace. */
  directory: string;
  run: RunProgram;
  confinement?: ConfinementState | undefined;
  /** Paths outside the workspace that the commands must be able to read. */
  readable?: readonly string[];
  /** Throws when the commands must not run here. */
  refuse?(): Promise<void>;
  /** The declarations kept from session to session. */
  cache: CachedJson;
  /** Gives another text when a file that the command names has changed. */
  stamp(): string;
  now(): number;
  timeoutMs?: number;
}

/** The discovery command runs without a question, so it may change nothing. */
const onlyLooks: ProgramAccess = { write: false, network: false };
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 2 * 1024 * 1024;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** The tools a command declares. The first look takes what is kept; every later one, a refresh, runs the command. */
export function commandSource(discovery: CommandDiscovery): ToolSource {
  const command = formatCommand(discovery.discoveryCommand);
  let isRefresh = false;
  return {
    kind: 'command',
    name: `The discovery command ${command}`,
    async discover(signal, problem) {
      await discovery.refuse?.();
      const kept = isRefresh ? null : await keptOutput(discovery);
      const { declarations, problems } = kept ?? (await freshOutput(discovery, signal));
      isRefresh = true;
      problems.forEach(problem);
      return declarations.map((declaration) => ({
        tool: new DiscoveredTool(declaration, discovery.callCommand, discovery),
        origin: { kind: 'command' as const, command },
      }));
    },
  };
}

async function keptOutput({ cache, now, stamp }: CommandDiscovery): Promise<ReadDeclarations | null> {
  const kept: JsonObject | null = await cache.read();
  const age = now() - Number(kept?.['at']);
  const isFresh = age >= 0 && age < MAX_AGE_MS && kept?.['stamp'] === stamp();
  if (!isFresh || typeof kept?.['output'] !== 'string') return null;
  return readDeclarations(kept['output']);
}

async function freshOutput(discovery: CommandDiscovery, signal: AbortSignal): Promise<ReadDeclarations> {
  const stamp = discovery.stamp();
  const ended = await runDiscovery(discovery, signal);
  const output = wholeText(ended.stdout);
  let read: ReadDeclarations;
  try {
    read = readDeclarations(output);
  } catch (error) {
    const complaints = wholeText(ended.stderr).trim();
    throw new Error(
      `${messageOf(error)}${complaints ? `\nOn standard error: ${complaints.slice(-2_000)}` : ''}`,
    );
  }
  await discovery.cache.write({ at: discovery.now(), stamp, output });
  return read;
}

async function runDiscovery(discovery: CommandDiscovery, signal: AbortSignal): Promise<Ended> {
  const { discoveryCommand: words, directory, readable = [], timeoutMs = TIMEOUT_MS } = discovery;
  const ended = await discovery
    .run(
      { words, directory, readable, access: onlyLooks },
      {
        signal,
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        keep: { headBytes: MAX_OUTPUT_BYTES, tailBytes: 64 * 1024 },
      },
    )
    .catch((error: unknown) => {
      throw isToolError(error) ? new Error(`it could not be started: ${error.message}`) : error;
    });
  const problem = problemOf(ended, timeoutMs);
  if (problem !== null) throw new Error(`${problem}\n${whatWasPrinted(ended)}`);
  return ended;
}

function problemOf(ended: Ended, timeoutMs: number): string | null {
  switch (ended.stopped?.kind) {
    case undefined:
      return ended.exitCode === 0 ? null : `it ${howItEnded(ended)}.`;
    case 'timeout':
      return `it was stopped because it did not end within ${timeoutMs / 1000} s.`;
    case 'limit':
      return ended.stopped.message
        ? `it was ${ended.stopped.message}.`
        : `it was stopped because it printed more than ${formatBytes(MAX_OUTPUT_BYTES)}.`;
    default:
      return 'it was cancelled.';
  }
}

/** A tool that a discovery command declared. What it does is unknown, so its calls are asked about. */
export class DiscoveredTool extends ProgramTool {
  constructor(declaration: Declaration, callCommand: readonly string[], parts: ProgramToolNeeds) {
    super({ ...declaration, words: [...callCommand, declaration.name] }, parts);
  }
}
