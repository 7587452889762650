import { requireInstalled, saveInstalled } from '@toolwright/core';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { openExtensionState } from './state.js';

export const enable = (name: string, _args: Arguments): Promise<number> => turn(name, true);
export const disable = (name: string, _args: Arguments): Promise<number> => turn(name, false);

async function turn(name: string, isOn: boolean): Promise<number> {
  const state = openExtensionState();
  const signal = abortOnInterrupt();
  const entry = await requireInstalled(name, state);
  const word = isOn ? 'on' : 'off';
  if (entry.isOn === isOn) print(`${name} is ${word} already.`);
  else {
    await saveInstalled(name, { ...entry, isOn }, { state, signal });
    print(`${name} is ${word} from the next start on.`);
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
