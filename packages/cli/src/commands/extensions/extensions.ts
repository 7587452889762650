import { UsageError } from '../../base/exit-codes.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';
import { defineCommandGroup } from '../command.js';

const flags: readonly Flag[] = [
  { name: 'path', value: 'FOLDER', help: 'With install: which folder in it to install.' },
  { name: 'plugin', value: 'NAME', help: 'With install: which plugin of the list in it to install.' },
  { name: 'yes', help: 'With install, update and enable: accept the page without being asked, for scripts.' },
  { name: 'all', help: 'With update: all of them.' },
  { name: 'run', help: 'With check: run the tests of its tools and examine its servers, in the sandbox.' },
  { name: 'json', help: 'With list, show and check: print JSON.' },
];

type Action = (name: string, args: Arguments) => Promise<number>;

/** An action on one extension. */
function onOne(action: string, load: () => Promise<Action>) {
  return async ([name, ...further]: string[], args: Arguments): Promise<number> => {
    refuseFurther(further, `extensions ${action} NAME`);
    if (name === undefined)
      throw new UsageError(
        action === 'new'
          ? 'extensions new needs a name for it: toolwright extensions new release-kit'
          : `extensions ${action} needs a name; toolwright extensions list shows them.`,
      );
    return (await load())(name, args);
  };
}

export const run = defineCommandGroup({
  name: 'extensions',
  usage: `  toolwright extensions install SOURCE                   show all that it brings, then install it
  toolwright extensions list [--json]                    what is installed, and whether it is on
  toolwright extensions show NAME                        the page that was accepted
  toolwright extensions enable|disable NAME
  toolwright extensions update NAME|--all                fetch it again, show what would change, then take it
  toolwright extensions remove NAME
  toolwright extensions new NAME                         write one with a skill, a command, a hook, a tool and its test
  toolwright extensions check FOLDER|NAME [--run]        grade one, whatever its format

SOURCE is a folder, an archive (.zip, .mcpb, .tar.gz), https://…, ssh://…, github:OWNER/NAME[#BRANCH] or npm:NAME[@VERSION].`,
  flags,
  actions: {
    install: async ([source, ...further], args) => {
      refuseFurther(further, 'extensions install SOURCE');
      if (source === undefined)
        throw new UsageError(
          'extensions install needs a folder, an archive, an address of git, or npm:NAME.',
        );
      return (await import('./install.js')).install(source, args);
    },
    async list(words, args) {
      refuseFurther(words, 'extensions list');
      return (await import('./list.js')).list(args);
    },
    show: onOne('show', async () => (await import('./list.js')).show),
    enable: onOne('enable', async () => (await import('./switch.js')).enable),
    disable: onOne('disable', async () => (await import('./switch.js')).disable),
    async update([name, ...further], args) {
      refuseFurther(further, 'extensions update NAME');
      return (await import('./update.js')).update(name, args);
    },
    remove: onOne('remove', async () => (await import('./switch.js')).remove),
    new: onOne('new', async () => (await import('./new.js')).newExtension),
    check: onOne('check', async () => (await import('./check.js')).check),
  },
});
