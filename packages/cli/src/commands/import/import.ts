import {
  agentNames,
  type HomeFindings,
  type OtherAgent,
  otherAgents,
  otherHomes,
  usableHome,
} from '@toolwright/core/front-end';
import { displayText } from '../../base/display-text.js';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { carryExtensions, type PageAnswer } from '../../conversation/import/carry-extensions.js';
import { type ImportPlan, withImportPlan } from '../../conversation/import/import-plan.js';
import { askToAccept } from '../../conversation/import/prepare-extension.js';
import { readSetup } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';

/** Brings over what the user has in the homes of other agents. */
export const run = defineCommand({
  usage: `  toolwright import [claude|qwen|gemini|codex …]   show what can be imported from other agents, then do it

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
  const { stateFolder } = await readSetup(args);
  return withImportPlan({ agents, home, stateFolder, signal }, async (plan) => {
    if (args.switches.has('json')) {
      printJson({ v: 1, plan: plan.all.map(planJson), changeSet: plan.planned.changeSet }, 2);
      return exitCodes.done;
    }
    print(`${plan.text}\n`);
    if (plan.isEmpty) {
      print('There is nothing to change in ~/.toolwright.');
      return exitCodes.done;
    }
    return askAndCarryOut(plan, args, signal);
  });
}

async function askAndCarryOut(plan: ImportPlan, args: Arguments, signal: AbortSignal): Promise<number> {
  if (plan.planned.changeSet.changes.length > 0) print(displayText(plan.planned.diff));
  const answer = await askToAccept('Import this?', { args, signal });
  if (!answer) {
    print('Nothing was changed.');
    if (answer === null) print('Nobody can be asked here; --yes does all of the above.');
    return answer === null ? exitCodes.nobodyToAsk : exitCodes.done;
  }
  print(await plan.carryOut(signal));
  const said = await carryExtensions(plan.all, { args, signal, answer: pageAnswer(args, signal) });
  for (const sentence of said) print(sentence);
  return exitCodes.done;
}

/** At a terminal each page is asked about; a script's yes is about the plan, not about pages that nobody has seen. */
function pageAnswer(
  args: Arguments,
  signal: AbortSignal,
): (page: string, name: string) => Promise<PageAnswer> {
  return async (page, name) => {
    if (args.switches.has('yes')) return 'off';
    print(`\n${page}`);
    const isWanted = await askToAccept(`Install ${name}?`, { args, signal });
    return isWanted ? 'on' : 'left';
  };
}

function agentsIn(words: readonly string[], there: readonly OtherAgent[]): OtherAgent[] {
  const wanted = words.map((word) => {
    const agent = otherAgents.find((each) => each === word);
    if (agent) return agent;
    throw new UsageError(`import does not know ${word}. It knows ${otherAgents.join(', ')}.`);
  });
  const missing = wanted.find((agent) => !there.includes(agent));
  if (missing) throw new UsageError(`There is no home of ${agentNames[missing]} here (~/.${missing}).`);
  return wanted.length > 0 ? wanted : [...there];
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
