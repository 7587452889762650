import { acceptServer } from '../../actions/accept-server.js';
import type { YesNo } from '../../app/yes-no.js';
import { displayText } from '../../base/display-text.js';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { requireServer, withServers } from './servers.js';

/** Shows what differs from what was accepted, and turns it on when the user agrees. */
export async function accept(names: string[], args: Arguments): Promise<number> {
  const [name, ...rest] = names;
  if (name === undefined || rest.length > 0)
    throw new UsageError('mcp accept needs the name of one server; toolwright mcp list shows them.');
  const signal = abortOnInterrupt();
  const isJson = args.switches.has('json');
  let isAsked = true;
  const consent = async (question: YesNo): Promise<boolean> => {
    const isAgreed = args.switches.has('yes');
    const canAsk = isStdinTerminal() && process.stderr.isTTY === true;
    isAsked = isAgreed || canAsk;
    if (!isAgreed && canAsk) {
      const { askYesOrNoOnTerminal } = await import('../../ask/ask-on-terminal.js');
      return askYesOrNoOnTerminal(question, signal);
    }
    if (!isJson) show(question);
    return isAgreed;
  };
  return withServers(args, { name: 'mcp accept', anyExecutable: true }, async ({ catalogue }) => {
    const server = requireServer(catalogue, name);
    const { isAccepted, message, found } = await acceptServer(server, { consent, signal });
    if (isJson && found) printJson({ v: 1, server: name, ...found });
    if (!isAsked) {
      warn('Not accepted: nobody could be asked. --yes accepts it.');
      return exitCodes.nobodyToAsk;
    }
    if (!isJson) print(message);
    return signal.aborted && !isAccepted ? exitCodes.cancelled : exitCodes.done;
  });
}

/** Shows what the question is about where it is not asked. */
function show({ title, facts = [], diff }: YesNo): void {
  for (const line of [title, ...facts.map((fact) => `  ${fact}`)]) printLine(line);
  if (diff) print(displayText(diff));
}
