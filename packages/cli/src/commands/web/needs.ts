import { openState } from '@toolwright/core';
import { createClock, createIds, createWorkspace, messageOf } from '@toolwright/core/front-end';
import type { OpenAgentOptions, OpenToolboxOptions, WebAgent, WebNeeds } from '@toolwright/web';
import { logInternalError } from '../../base/internal-error.js';
import type { Arguments } from '../../command-line/args.js';
import { openAgent, openToolbox, readSetup } from '../../setup/runtime.js';
import { neverAsked } from '../../setup/trust-notices.js';

/** Gives the needs of the page: the same setup as every other command, read anew each time, so that changed settings count. */
export async function webNeeds(args: Arguments): Promise<WebNeeds> {
  const first = await readSetup(args);
  const state = openState({ path: first.stateFolder, host: { clock: createClock(), ids: createIds() } });
  return {
    workspace: createWorkspace({ directory: first.workspace }).directory,
    state,
    async openToolbox({ changes = false, include = [] }: OpenToolboxOptions) {
      const setup = await readSetup(withFolders(args, include));
      const servers = changes ? undefined : { onlyLooks: true, isQuiet: true };
      const front = { front: 'web', mayAsk: false, onlyLooks: changes ? undefined : true, servers };
      return openToolbox(args, front, setup);
    },
    openAgent: (options) => openConversation(args, options),
    async expandPrompt(text, agent, signal) {
      if (text.startsWith('/')) {
        const { expandCustom } = await import('../../conversation/custom-commands.js');
        const expanded = await expandCustom(text.trim(), [], { toolbox: agent, signal });
        if (expanded) return expanded;
      }
      const { expandAtFiles } = await import('../../conversation/at-files.js');
      return expandAtFiles(text, agent, signal);
    },
    async examine() {
      const { examinations } = await import('../../actions/examinations.js');
      const setup = await readSetup(args).catch(messageOf);
      const rows = [];
      for (const examine of examinations) rows.push(...(await examine({ args, setup })));
      return rows;
    },
    readServers: async (signal) => (await import('./read-servers.js')).readServers(args, signal),
    async readMemory(signal) {
      const { viewMemory } = await import('../../actions/describe-memory.js');
      const setup = await readSetup(args);
      const toolbox = await openToolbox(args, { front: 'web', mayAsk: false, onlyLooks: true }, setup);
      try {
        const { bytes, maxBytes, files, remembered } = await viewMemory(toolbox, setup, signal);
        return {
          bytes,
          maxBytes,
          files,
          facts: remembered.facts.map(({ scope, fact }) => ({ scope, fact })),
        };
      } finally {
        await toolbox.close();
      }
    },
    openFleet: async () => (await import('./open-fleet-door.js')).openFleetDoor(args),
    report: logInternalError,
  };
}

function withFolders(args: Arguments, include: readonly string[]): Arguments {
  if (include.length === 0) return args;
  return { ...args, lists: new Map([...args.lists, ['include-directories', [...include]]]) };
}

/** Questions of such a conversation are answered through its door alone, never at the terminal of the server. */
async function openConversation(
  args: Arguments,
  { resume, mode, apart, onQuestion }: OpenAgentOptions,
): Promise<WebAgent> {
  const values = new Map(args.values);
  if (resume !== undefined) values.set('resume', resume);
  if (mode !== undefined) values.set('approval-mode', mode);
  const chosen = { ...args, values };
  const setup = await readSetup(chosen);
  let opened: WebAgent | null = null;
  opened = await openAgent(
    chosen,
    {
      front: 'web',
      mayAsk: false,
      apart,
      onEvent: () => undefined,
      confirm(_request, signal) {
        onQuestion();
        return new Promise((resolve) => {
          const stop = (): void => resolve({ kind: 'cancel', reason: 'the question was withdrawn' });
          signal.addEventListener('abort', stop, { once: true });
        });
      },
      // A form of a server has no place on the page: it is declined, and the user is told.
      servers: {
        say: (message) => opened?.tell(message),
        async onSignIn(request) {
          const { signInText } = await import('../../ask/elicit.js');
          opened?.tell(signInText(request));
        },
      },
    },
    setup,
  );
  for (const notice of neverAsked(setup, { model: true })) opened.tell(notice);
  return opened;
}
