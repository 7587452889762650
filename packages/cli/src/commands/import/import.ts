import {
  agentNames,
  createToolbox,
  describeImport,
  type HomeFindings,
  type OtherAgent,
  otherAgents,
  otherHomes,
  planImport,
  readHome,
  type Toolbox,
  usableHome,
} from '@toolwright/core';
import { displayText } from '../../base/display-text.js';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { readSetup } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';

/** Brings over what the user has in the homes of other agents. */
export const run = defineCommand({
  usage: `  toolwright import [claude|qwen|gemini|codex …]   show what can be brought over from other agents, then do it

Only homes are read, never projects. Rules that allow something arrive switched off, secrets become variables.`,
  flags: [
    { name: 'yes', help: 'Do it without being asked, for scripts.' },
    { name: 'json', help: 'Print the plan as JSON, and do nothing.' },
  ],
  run: bringOver,
});

async function bringOver(args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const home = usableHome(process.env);
  if (home === undefined) throw new UsageError('There is no usable home directory. Set HOME.');
  const agents = agentsIn(args.words, otherHomes(home));
  if (agents.length === 0) {
    print('There is no home of Claude Code, Qwen Code, Gemini CLI or Codex here.');
    return exitCodes.done;
  }
  const all: HomeFindings[] = [];
  for (const agent of agents) all.push(await readHome(agent, home, signal));
  const { stateFolder } = await readSetup(args);
  return withStateFolder(stateFolder, async (toolbox) => {
    const planned = await planImport(all, { stateFolder, id: toolbox.host.ids.next() });
    if (args.switches.has('json')) {
      printJson({ v: 1, plan: all.map(planJson), changeSet: planned.changeSet }, 2);
      return exitCodes.done;
    }
    for (const found of all) print(`${describeImport(found)}\n`);
    if (planned.changeSet.changes.length === 0) {
      print('There is nothing to change in ~/.toolwright.');
      return exitCodes.done;
    }
    print(displayText(planned.diff));
    const answer = await agreed(args, signal);
    if (!answer) {
      print('Nothing was changed.');
      if (answer === null) print('There is nobody to ask here; --yes does all of the above.');
      return answer === null ? exitCodes.nobodyToAsk : exitCodes.done;
    }
    const { id } = await toolbox.changes.commit(planned, { signal, origin: { import: agents.join(' ') } });
    print(nextSteps(all, { id, stateFolder }));
    return exitCodes.done;
  });
}

function agentsIn(words: readonly string[], there: readonly OtherAgent[]): OtherAgent[] {
  const wanted = words.map((word) => {
    const agent = otherAgents.find((each) => each === word);
    if (agent) return agent;
    throw new UsageError(`import does not know ${word}. It is ${otherAgents.join(', ')}.`);
  });
  const missing = wanted.find((agent) => !there.includes(agent));
  if (missing) throw new UsageError(`There is no home of ${agentNames[missing]} here (~/.${missing}).`);
  return wanted.length > 0 ? wanted : [...there];
}

/** The state folder as a workspace: its files are changed, and changed back, like any others. */
async function withStateFolder<Result>(
  stateFolder: string,
  work: (toolbox: Toolbox) => Promise<Result>,
): Promise<Result> {
  const { createClock, createIds, openState } = await import('@toolwright/core');
  await openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } }).make();
  const toolbox = await createToolbox({
    workspace: stateFolder,
    stateFolder,
    front: 'import',
    onlyLooks: true,
  });
  try {
    return await work(toolbox);
  } finally {
    await toolbox.close();
  }
}

async function agreed(args: Arguments, signal: AbortSignal): Promise<boolean | null> {
  if (args.switches.has('yes')) return true;
  if (!isStdinTerminal() || process.stderr.isTTY !== true) return null;
  const { askYesOrNoOnTerminal } = await import('../../ask/ask-on-terminal.js');
  return askYesOrNoOnTerminal({ title: 'Make these changes?', yes: 'yes', no: 'no' }, signal);
}

function planJson({
  agent,
  settings,
  servers,
  rules,
  hooks,
  files,
  inPlace,
  left,
  variables,
  extensions,
}: HomeFindings) {
  return {
    agent,
    settings,
    servers: Object.fromEntries(servers),
    rules: { offered: [...rules.allow], ask: [...rules.ask], deny: [...rules.deny] },
    hooks,
    files: files.map(({ path }) => path),
    inPlace,
    left,
    variables: [...variables.keys()],
    extensions,
  };
}

function nextSteps(
  all: readonly HomeFindings[],
  { id, stateFolder }: { id: string; stateFolder: string },
): string {
  const offered = all.some(({ rules }) => rules.allow.size > 0);
  const variables = all.flatMap((found) => [...found.variables.keys()]);
  return [
    'Done.',
    ...(offered ? ['To look at the rules that are off: toolwright permissions choose'] : []),
    ...(variables.length > 0
      ? [`Set these variables: ${variables.map((name) => `$${name}`).join(', ')}`]
      : []),
    `To take all of it back: toolwright undo ${id} --workspace ${stateFolder}`,
  ].join('\n');
}
