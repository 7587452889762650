import { describeSource, installedExtensions, parseSource } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { askToAccept, prepare, withoutExtension } from '../../conversation/import/prepare-extension.js';

/** Shows all that an extension brings, and installs it after a yes. */
export async function install(written: string, args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const source = parseSource(written, process.cwd(), {
    inside: args.values.get('path'),
    plugin: args.values.get('plugin'),
  });
  return withoutExtension(null, { args, signal }, async (opened) => {
    const prepared = await prepare(source, opened);
    try {
      const { name } = prepared.contents.read.extension;
      const earlier = (await installedExtensions(opened.state)).find(
        (entry) => entry.extension.name === name,
      );
      if (earlier)
        throw new UsageError(
          `The extension ${name} is already installed, from ${describeSource(earlier.source)}. To fetch that again: toolwright extensions update ${name}. To switch to the other one: toolwright extensions remove ${name}, then install it.`,
        );
      print(prepared.page);
      const answer = await askToAccept(`Install ${name}?`, { args, signal });
      if (answer) {
        await prepared.accept(signal);
        print(`\nInstalled ${name}. It takes effect the next time you start.`);
        return exitCodes.done;
      }
      print('\nNothing was installed.');
      if (answer === null) print('There is nobody to ask here; --yes accepts all of the above.');
      return answer === null ? exitCodes.nobodyToAsk : exitCodes.done;
    } finally {
      await prepared.drop();
    }
  });
}
