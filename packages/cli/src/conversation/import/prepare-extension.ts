import type { State, Toolbox } from '@toolwright/core';
import {
  type ExtensionContents,
  type ExtensionSource,
  type LookedAt,
  type PreparedExtension,
  prepareExtension,
} from '@toolwright/core/front-end';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { loadSetup, openToolbox, type Setup } from '../../setup/runtime.js';
import { slashNames } from '../slash-commands.js';

export interface Opened {
  setup: Setup;
  toolbox: Toolbox;
  state: State;
  signal: AbortSignal;
}

/** The program without one extension and those that were accepted after it: none of them can be in its way. */
export async function withoutExtension<Result>(
  name: string | null,
  { args, signal }: { args: Arguments; signal: AbortSignal },
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadSetup(args);
  const installed = loaded.extensions.filter(({ root }) => root === undefined);
  const at = installed.findIndex(({ extension }) => extension.name === name);
  const extensions = at < 0 ? installed : installed.slice(0, at);
  const setup = { ...loaded, extensions };
  const front = { front: 'extensions', servers: { onlyLooks: true, isQuiet: true }, onlyLooks: true };
  const toolbox = await openToolbox(args, front, setup);
  try {
    return await work({ setup, toolbox, state: toolbox.state, signal });
  } finally {
    await toolbox.close();
  }
}

export async function prepare(source: ExtensionSource, opened: Opened): Promise<PreparedExtension> {
  const { toolbox, state, signal } = opened;
  const sandbox = await toolbox.commands.sandbox.state(signal);
  return prepareExtension(
    source,
    {
      state,
      processes: toolbox.commands.processes,
      environment: process.env,
      collisions: (contents) => collisionsOf(contents, opened),
      sandbox,
    },
    signal,
  );
}

/** The page of an extension that is installed, as it is here and now. */
export async function pageOf({ contents, page }: LookedAt, opened: Opened): Promise<string> {
  const collisions = await collisionsOf(contents, opened);
  return page({ collisions, sandbox: await opened.toolbox.commands.sandbox.state(opened.signal) });
}

/** Names of an extension that something else has here; the other one stays what it is. */
async function collisionsOf(contents: ExtensionContents, { toolbox }: Opened): Promise<string[]> {
  const { pieces, registry, mcp } = toolbox;
  const { places } = await pieces.findCommands(slashNames);
  const { agents } = await pieces.findAgents();
  const { name: own, servers } = contents.read.extension;
  const known = (await pieces.skills?.look())?.places ?? [];
  const skills = new Map(known.map((place) => [place.name, place.from.shown]));
  const off = (what: string, by: string): string => `${what} is off: the name is taken by ${by}`;
  return [
    ...contents.skills.flatMap(({ name }) =>
      skills.has(name) ? off(`the skill ${name}`, `the one in ${skills.get(name)}`) : [],
    ),
    ...contents.commands.flatMap(({ name }) => {
      const by = slashNames.includes(name) ? 'the program' : places.get(name)?.from.shown;
      return by === undefined ? [] : `/${name} is called /${own}:${name}: the name is taken by ${by}`;
    }),
    ...contents.agents.flatMap(({ name }) => {
      const other = agents.find((agent) => agent.name === name);
      return other ? off(`the agent ${name}`, other.from) : [];
    }),
    ...contents.tools.flatMap(({ name }) =>
      registry.find(name) ? off(`the tool ${name}`, 'another tool') : [],
    ),
    ...Object.keys(servers).flatMap((name) =>
      mcp?.find(name) ? off(`the MCP server ${name}`, 'another server') : [],
    ),
  ];
}

/** True, false, or null where nobody can be asked. */
export async function askToAccept(
  title: string,
  { args, signal }: { args: Arguments; signal: AbortSignal },
): Promise<boolean | null> {
  if (args.switches.has('yes')) return true;
  if (!isStdinTerminal() || process.stderr.isTTY !== true) return null;
  const { askYesOrNoOnTerminal } = await import('../../ask/ask-on-terminal.js');
  return askYesOrNoOnTerminal({ title, yes: 'yes', no: 'no' }, signal);
}
