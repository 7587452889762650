import { lookAtInstalled, messageOf, requireInstalled } from '@toolwright/core/front-end';
import { describeExtensions, findExtensions } from '../../actions/describe-extensions.js';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { pageOf, withoutExtension } from '../../conversation/import/prepare-extension.js';
import { loadSetup } from '../../setup/runtime.js';
import { openExtensionState } from './state.js';

export async function list(args: Arguments): Promise<number> {
  const { extensions } = await loadSetup(args);
  const all = await findExtensions(extensions, openExtensionState(), abortOnInterrupt());
  if (args.switches.has('json')) printJson({ v: 1, extensions: all }, 2);
  else print(describeExtensions(all));
  return exitCodes.done;
}

export async function show(name: string, args: Arguments): Promise<number> {
  const state = openExtensionState();
  const entry = await requireInstalled(name, state);
  try {
    const signal = abortOnInterrupt();
    const found = await lookAtInstalled(entry, state, signal);
    const { isChanged } = found;
    const page = await withoutExtension(name, { args, signal }, (opened) => pageOf(found, opened));
    if (args.switches.has('json')) {
      printJson({ v: 1, ...entry, page, isChanged }, 2);
      return isChanged ? exitCodes.failure : exitCodes.done;
    }
    print(page);
    if (isChanged)
      print(
        `\nThis is not what was accepted, so none of it is used. To fetch it again: toolwright extensions update ${name}`,
      );
    else if (!entry.isOn) print(`\nIt is off. toolwright extensions enable ${name} turns it on.`);
    return isChanged ? exitCodes.failure : exitCodes.done;
  } catch (error) {
    print(`${messageOf(error)}\nTo fetch it again: toolwright extensions update ${name}`);
    return exitCodes.failure;
  }
}
