import type { Toolbox } from '@toolwright/core';
import { describeRules, rememberedAnswers, revokeAnswer, writtenRules } from '../../actions/permissions.js';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags } from '../../command-line/flags.js';
import { withToolbox } from '../../setup/runtime.js';
import { defineCommand, unknownAction } from '../command.js';

const flags: readonly Flag[] = [{ name: 'json', help: 'With list: print JSON.' }, ...permissionFlags];

/** The rules in force in this workspace, and the answers that were saved for it. */
export const run = defineCommand({
  usage: `  toolwright permissions [list] [--json]        the rules in force here, and the answers saved for this workspace
  toolwright permissions revoke NUMBER|RULE     take back a saved answer
  toolwright permissions choose [RULE…|all]      the rules that an import offers, or make them count

What would be decided about a call: toolwright explain 'CALL'`,
  flags,
  async run(args) {
    const [action = 'list', ...rest] = args.words;
    if (action === 'choose') return (await import('./choose-rules.js')).chooseRules(rest, args);
    if (action !== 'list' && action !== 'revoke')
      throw unknownAction('permissions', action, ['list', 'revoke', 'choose']);
    if (action === 'list') refuseFurther(rest, 'permissions list');
    const [wanted] = rest;
    if (action === 'revoke' && (wanted === undefined || rest.length > 1))
      throw new UsageError(
        'permissions revoke needs the number of an answer, or its rule in quotes. toolwright permissions list shows them.',
      );
    const servers = { onlyLooks: true, isQuiet: true };
    return withToolbox(args, { front: 'permissions', servers, onlyLooks: true }, async (toolbox) => {
      if (wanted === undefined) return list(toolbox, args);
      const { rule } = await revokeAnswer(toolbox, wanted, {
        prefix: 'toolwright ',
        signal: abortOnInterrupt(),
      });
      print(`Revoked: ${rule}. You will be asked again from the next start.`);
      return exitCodes.done;
    });
  },
});

function list(toolbox: Toolbox, { switches }: Arguments): number {
  if (switches.has('json')) {
    const rules = writtenRules(toolbox).map(({ verdict, text, source }) => ({ verdict, rule: text, source }));
    const answers = rememberedAnswers(toolbox).map(({ number, rule, grant: { uses, untilMs } }) => ({
      number,
      rule,
      uses,
      until: untilMs === undefined ? undefined : new Date(untilMs).toISOString(),
    }));
    printJson({ v: 1, mode: toolbox.permission.mode, rules, answers }, 2);
  } else print(describeRules(toolbox, 'toolwright '));
  return exitCodes.done;
}
