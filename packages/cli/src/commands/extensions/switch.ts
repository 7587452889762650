import { lookAtInstalled, requireInstalled, saveInstalled } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { askToAccept, pageOf, withoutExtension } from '../../conversation/import/prepare-extension.js';
import { openExtensionState } from './state.js';

/** Switches an extension on. An imported one must have its page accepted first. */
export async function enable(name: string, args: Arguments): Promise<number> {
  const state = openExtensionState();
  const entry = await requireInstalled(name, state);
  if (entry.acceptedAt > 0) return turn(name, true);
  const signal = abortOnInterrupt();
  return withoutExtension(name, { args, signal }, async (opened) => {
    const found = await lookAtInstalled(entry, state, signal);
    if (found.isChanged)
      throw new UsageError(
        `The files of ${name} are not those that were imported. To fetch it again: toolwright extensions update ${name}`,
      );
    print(await pageOf(found, opened));
    const answer = await askToAccept(`Turn on ${name}?`, { args, signal });
    if (answer) {
      await saveInstalled(name, { ...entry, isOn: true, acceptedAt: Date.now() }, { state, signal });
      print(`\n${name} is on from the next start.`);
      return exitCodes.done;
    }
    print(`\n${name} stays off.`);
    if (answer === null) print('There is nobody to ask here; --yes accepts all of the above.');
    return answer === null ? exitCodes.nobodyToAsk : exitCodes.done;
  });
}

export const disable = (name: string, _args: Arguments): Promise<number> => turn(name, false);

async function turn(name: string, isOn: boolean): Promise<number> {
  const state = openExtensionState();
  const signal = abortOnInterrupt();
  const entry = await requireInstalled(name, state);
  const word = isOn ? 'on' : 'off';
  if (entry.isOn === isOn) print(`${name} is ${word} already.`);
  else {
    await saveInstalled(name, { ...entry, isOn }, { state, signal });
    print(`${name} is ${word} from the next start.`);
  }
  return exitCodes.done;
}

export async function remove(name: string, _args: Arguments): Promise<number> {
  const state = openExtensionState();
  await requireInstalled(name, state);
  await saveInstalled(name, null, { state, signal: abortOnInterrupt() });
  print(`Removed ${name}.`);
  return exitCodes.done;
}
