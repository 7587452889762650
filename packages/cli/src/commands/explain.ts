import type { Toolbox } from '@toolwright/core';
import { entriesOf, explainCall, findSession, replayDecisions } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { printJson } from '../base/print.js';
import type { Arguments } from '../command-line/args.js';
import { explainFlags } from '../command-line/flags.js';
import { withToolbox } from '../setup/runtime.js';
import { defineCommand } from './command.js';
import { loadOwnTool } from './explain/written-call.js';

/** Tells what would be decided about a call, and by which rule. Runs nothing and changes nothing. */
export const run = defineCommand({
  usage: `  toolwright explain 'npm test && git push'          a command line
  toolwright explain 'edit {"file_path": "a.ts", …}'  a call of a tool
  toolwright explain '{"name": "edit", "args": {…}}'  the same
  toolwright explain 'run_shell_command {"command": "git push", "network": true}'   a command with network
  toolwright explain --batch < calls.jsonl
  toolwright explain --apart 'npm run build'         as in a session that works apart
  toolwright explain --session ID                    what the present rules would decide differently

Nothing is run and nothing is changed.`,
  flags: explainFlags,
  async run(args) {
    const isBatch = args.switches.has('batch');
    const session = args.values.get('session');
    if ([isBatch, session !== undefined, args.words.length > 0].filter(Boolean).length !== 1)
      throw new UsageError(
        "explain takes one of these: a call in quotes, such as 'npm test'; --batch; --session ID.",
      );
    const signal = abortOnInterrupt();
    // Tools of servers are known from earlier; none is started.
    const servers = { onlyLooks: true, isQuiet: true };
    const apart = args.switches.has('apart');
    const front = { front: 'explain', mayAsk: false, apart, servers, onlyLooks: true };
    return withToolbox(args, front, async (toolbox) => {
      if (isBatch) return (await import('./explain/batch.js')).explainBatch(toolbox, signal);
      return session === undefined
        ? explainOne(toolbox, args, signal)
        : explainSession(toolbox, session, { json: args.switches.has('json'), signal });
    });
  },
});

async function explainOne(
  toolbox: Toolbox,
  { words, switches }: Arguments,
  signal: AbortSignal,
): Promise<number> {
  const { writtenCall } = await import('./explain/written-call.js');
  const call = writtenCall(words, (name) => toolbox.registry.getTool(name) !== undefined);
  await loadOwnTool(call, toolbox, signal);
  const explained = await explainCall(call, toolbox);
  if (switches.has('json')) {
    printJson(explained);
    return exitCodes.done;
  }
  const { describeExplanation } = await import('./explain/describe.js');
  process.stdout.write(describeExplanation(explained, (path) => toolbox.host.workspace.show(path)));
  return exitCodes.done;
}

async function explainSession(
  toolbox: Toolbox,
  id: string,
  { json, signal }: { json: boolean; signal: AbortSignal },
): Promise<number> {
  const session = await findSession(toolbox.state, toolbox.host.workspace.directory, id || undefined);
  const calls = await replayDecisions(await entriesOf(session, signal), toolbox);
  const { describeReplay } = await import('./explain/describe.js');
  if (json) printJson(calls);
  else process.stdout.write(describeReplay(calls));
  return exitCodes.done;
}
