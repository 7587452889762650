import {
  type OtherCode,
  pinDifferences,
  pinDifferencesAsDiff,
  type ServedServer,
  type ServerRecord,
  terminalSafe,
  terminalSafeJson,
} from '@toolwright/core';
import type { Arguments } from '../../args.js';
import { codeLines } from '../../conversation/servers/other-code.js';
import { displayText } from '../../display-text.js';
import { exitCodes, UsageError } from '../../exit-codes.js';
import { abortOnInterrupt } from '../../interrupts.js';
import { isStdinTerminal } from '../../read-stdin.js';
import { requireServer, withServers } from './servers.js';

/** Shows what differs from what was accepted, and turns it on when the person says so. */
export async function accept(names: string[], args: Arguments): Promise<number> {
  const [name, ...rest] = names;
  if (name === undefined || rest.length > 0)
    throw new UsageError('mcp accept needs the name of one server; toolwright mcp list shows them.');
  const signal = abortOnInterrupt();
  return withServers(args, { name: 'mcp accept', anyExecutable: true }, async ({ catalogue }) => {
    const server = requireServer(catalogue, name);
    const wasKnown = (server.record?.listedAt ?? 0) > 0;
    const other = await server.otherCode(signal);
    if (other) {
      const refused = await settleCode(server, other, args, signal);
      if (refused !== null) return refused;
    }
    const before = server.record?.executable ?? null;
    const shown = await server.refresh(signal);
    const program = await server.executable();
    const isOtherProgram = wasKnown && before !== null && before !== program;
    const found = pinDifferences(shown);
    if (args.switches.has('json'))
      process.stdout.write(
        `${terminalSafeJson({ v: 1, server: name, differences: found, program, code: other?.changes ?? [] })}\n`,
      );
    if (found.length === 0 && !isOtherProgram)
      return nothing(server, { wasKnown, hasOtherCode: other !== null }, args);
    if (!args.switches.has('json')) {
      if (isOtherProgram) say(`Its program was ${before} and is now ${program ?? 'not found'}.\n`);
      if (found.length > 0) process.stdout.write(`${displayText(await pinDifferencesAsDiff(shown))}\n`);
    }
    return settle(server, shown, args, signal);
  });
}

function nothing(
  { record, config }: ServedServer,
  { wasKnown, hasOtherCode }: { wasKnown: boolean; hasOtherCode: boolean },
  args: Arguments,
): number {
  if (args.switches.has('json')) return exitCodes.done;
  const count = record?.accepted.length ?? 0;
  const tools = count === 1 ? '1 tool' : `${count} tools`;
  say(
    hasOtherCode
      ? `Accepted: ${config.alias} may run what is there now; nothing has changed about its ${tools}.\n`
      : wasKnown
        ? `Nothing to accept: nothing has changed about its ${tools}.\n`
        : `Seen for the first time, and accepted with its ${tools}.\n`,
  );
  return exitCodes.done;
}

/** Before the changed code runs for the first time. Null: it may. */
async function settleCode(
  server: ServedServer,
  other: OtherCode,
  args: Arguments,
  signal: AbortSignal,
): Promise<number | null> {
  const { alias } = server.config;
  if (!args.switches.has('json'))
    say(`What ${alias} runs is not what you agreed to:\n  ${codeLines(other.changes).join('\n  ')}\n`);
  const question = { title: `Let ${alias} run this?`, yes: 'yes, start it', no: 'no, it stays off' };
  const refused = await refusal(question, args, signal);
  if (refused === null) await server.acceptCode(other);
  return refused;
}

/** Null when the person says yes; otherwise the exit code. */
async function refusal(
  question: { title: string; yes: string; no: string },
  args: Arguments,
  signal: AbortSignal,
): Promise<number | null> {
  if (args.switches.has('yes')) return null;
  if (!isStdinTerminal() || process.stderr.isTTY !== true) {
    process.stderr.write('toolwright: Not accepted: nobody could be asked. --yes accepts it.\n');
    return exitCodes.nobodyToAsk;
  }
  const { askYesOrNo } = await import('../../conversation/ask-on-terminal.js');
  if (await askYesOrNo(question, signal)) return null;
  say('Not accepted.\n');
  return signal.aborted ? exitCodes.cancelled : exitCodes.done;
}

async function settle(
  server: ServedServer,
  shown: ServerRecord,
  args: Arguments,
  signal: AbortSignal,
): Promise<number> {
  const title = `Accept these definitions of ${server.config.alias}?`;
  const refused = await refusal({ title, yes: 'yes, turn them on', no: 'no, they stay off' }, args, signal);
  if (refused !== null) return refused;
  const { accepted } = await server.accept(shown);
  if (!args.switches.has('json'))
    say(
      `Accepted: ${server.config.alias} has ${accepted.length === 1 ? '1 tool' : `${accepted.length} tools`}.\n`,
    );
  return exitCodes.done;
}

function say(text: string): void {
  process.stdout.write(terminalSafe(text));
}
