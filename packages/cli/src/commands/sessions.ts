import {
  createWorkspace,
  entriesOf,
  findSession,
  messageOf,
  openStateFolder,
  plural,
  type SavedSession,
  savedSessions,
  stateFolderPath,
  terminalSafe,
  terminalSafeJson,
  toMarkdown,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { print, printJson } from '../base/print.js';
import { type Arguments, refuseFurther } from '../command-line/args.js';
import { defineCommandGroup } from './command.js';

const flags = [
  { name: 'json', help: 'Print JSON.' },
  {
    name: 'format',
    value: 'FORMAT',
    choices: ['markdown', 'json'],
    help: 'With export: Markdown (default) or the journal as a JSON array.',
  },
];

export const run = defineCommandGroup({
  name: 'sessions',
  usage: `  toolwright sessions list                 earlier sessions of this workspace, the one used last first
  toolwright sessions show [ID]            one of them as Markdown (default: the latest conversation)
  toolwright sessions export ID --format json

To continue one: toolwright --resume ID`,
  flags,
  actions: {
    async list(words, args) {
      refuseFurther(words, 'sessions list');
      const { state, directory } = placeOf(args);
      return list(await savedSessions(state, directory, abortOnInterrupt()), args);
    },
    show: (words, args) => write('show', words, args),
    export: (words, args) => write('export', words, args),
  },
});

interface SessionPlace {
  state: ReturnType<typeof openStateFolder>;
  directory: string;
}

function placeOf({ values }: Arguments): SessionPlace {
  const { directory } = createWorkspace({ directory: values.get('workspace') ?? '.' });
  return { state: openStateFolder(stateFolderPath(process.env)), directory };
}

async function write(action: string, [id, ...further]: string[], args: Arguments): Promise<number> {
  refuseFurther(further, `sessions ${action} ID`);
  const entries = await entriesOf(await sessionNamed(id, placeOf(args)), abortOnInterrupt());
  const asJson = args.switches.has('json') || args.values.get('format') === 'json';
  const text = asJson ? `${terminalSafeJson(entries, 2)}\n` : toMarkdown(entries);
  process.stdout.write(process.stdout.isTTY ? terminalSafe(text) : text);
  return exitCodes.done;
}

/** An id that is not there is a mistake in the command line, as it is for every other command. */
async function sessionNamed(
  id: string | undefined,
  { state, directory }: SessionPlace,
): Promise<SavedSession> {
  try {
    return await findSession(state, directory, id);
  } catch (error) {
    if (id === undefined) throw error;
    const fitting = (await savedSessions(state, directory)).filter((session) => session.id.startsWith(id));
    throw fitting.length === 1 ? error : new UsageError(messageOf(error));
  }
}

function list(sessions: SavedSession[], { switches }: Arguments): number {
  if (switches.has('json')) {
    printJson(sessions, 2);
    return exitCodes.done;
  }
  const shown = sessions.filter(({ messages, calls }) => messages + calls > 0);
  if (shown.length === 0) print('There are no sessions in this workspace.');
  for (const { id, updatedAt, title, front, messages, calls } of shown) {
    const made = plural(calls, 'call');
    const size = messages > 0 ? `${messages} messages, ${made}` : made;
    print(`${id}  ${updatedAt.slice(0, 16).replace('T', ' ')}  ${size}  ${title || `(${front})`}`);
  }
  return exitCodes.done;
}
