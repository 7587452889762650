import { join } from 'node:path';
import { openState } from '@toolwright/core';
import {
  createClock,
  createIds,
  deadlineIn,
  didYouMean,
  editSetting,
  nearest,
  permissionRules,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { loadSetup } from '../../setup/runtime.js';

const EDIT_LIMIT_MS = 20_000;

/** Shows the rules that an import offers, or puts some of them in force. */
export async function chooseRules(words: readonly string[], args: Arguments): Promise<number> {
  const { loaded, stateFolder } = await loadSetup(args);
  const { offered } = loaded.settings.permissions;
  if (words.length === 0) {
    print(
      offered.length === 0
        ? 'No rule is offered. toolwright import brings those of other agents.'
        : [
            'Offered, and off:',
            ...offered.map((rule) => `  ${rule}`),
            "To turn some on: toolwright permissions choose 'RULE'; all of them: toolwright permissions choose all",
          ].join('\n'),
    );
    return exitCodes.done;
  }
  const chosen = words.length === 1 && words[0] === 'all' ? offered : words;
  for (const rule of chosen)
    if (!offered.includes(rule))
      throw new UsageError(
        `${rule} is not offered. ${didYouMean(nearest(rule, offered)) || 'toolwright permissions choose lists them.'}`,
      );
  const state = openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } });
  const file = join(stateFolder, 'settings.json');
  const put = (name: string, value: readonly string[]) =>
    editSetting({ file, path: ['permissions', name], value }, state, deadlineIn(EDIT_LIMIT_MS));
  const allow = permissionRules(loaded)
    .filter(({ verdict, origin }) => verdict === 'allow' && origin.file === file)
    .map(({ text }) => text);
  await put('allow', [...new Set([...allow, ...chosen])]);
  await put(
    'offered',
    offered.filter((rule) => !chosen.includes(rule)),
  );
  for (const rule of chosen) print(`Allowed from now on: ${rule}`);
  return exitCodes.done;
}
