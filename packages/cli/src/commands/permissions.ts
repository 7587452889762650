import { terminalSafe, terminalSafeJson } from '@toolwright/core';
import { describeRules, rememberedAnswers, revokeAnswer, writtenRules } from '../actions/permissions.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { type Arguments, parseCommandLine, refuseFurther } from '../command-line/args.js';
import { type Flag, permissionFlags } from '../command-line/flags.js';
import { openToolbox } from '../setup/runtime.js';

const flags: readonly Flag[] = [{ name: 'json', help: 'With list: print JSON.' }, ...permissionFlags];

/** `permissions list|revoke`: the rules in force in this workspace, and the answers that were saved for it. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  const [action = 'list', ...rest] = parsed.words;
  if (parsed.switches.has('help')) return help();
  if (action !== 'list' && action !== 'revoke')
    throw new UsageError(`There is no command permissions ${action}. It is list or revoke.`);
  if (action === 'list') refuseFurther(rest, 'permissions list');
  const [wanted] = rest;
  if (action === 'revoke' && (wanted === undefined || rest.length > 1))
    throw new UsageError(
      'permissions revoke needs the number of an answer, or its rule in quotes. toolwright permissions list shows them.',
    );
  const toolbox = await openToolbox(parsed, {
    front: 'permissions',
    servers: { onlyLooks: true, isQuiet: true },
    onlyLooks: true,
  });
  try {
    if (wanted === undefined) return list(toolbox, parsed);
    const { rule } = await revokeAnswer(toolbox, wanted, {
      prefix: 'toolwright ',
      signal: abortOnInterrupt(),
    });
    process.stdout.write(
      terminalSafe(`Taken back: ${rule}. It is asked about again from the next start on.\n`),
    );
    return exitCodes.done;
  } finally {
    await toolbox.close();
  }
}

function list(toolbox: Awaited<ReturnType<typeof openToolbox>>, { switches }: Arguments): number {
  const json = (): string => {
    const rules = writtenRules(toolbox).map(({ verdict, text, source }) => ({ verdict, rule: text, source }));
    const answers = rememberedAnswers(toolbox).map(({ number, rule, grant: { uses, untilMs } }) => ({
      number,
      rule,
      ...(uses === undefined ? {} : { uses }),
      ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    }));
    return terminalSafeJson({ v: 1, mode: toolbox.permission.mode, rules, answers }, 2);
  };
  const text = switches.has('json') ? json() : terminalSafe(describeRules(toolbox, 'toolwright '));
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
}

async function help(): Promise<number> {
  const { flagTable } = await import('../command-line/help.js');
  process.stdout.write(`Usage
  toolwright permissions [list] [--json]        the rules in force here, and the answers saved for this workspace
  toolwright permissions revoke NUMBER|RULE     take back a saved answer

What would be decided about a call: toolwright explain 'CALL'

Flags
${flagTable(flags)}
`);
  return exitCodes.done;
}
