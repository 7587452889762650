import {
  createWorkspace,
  entriesOf,
  findSession,
  messageOf,
  openStateFolder,
  type SavedSession,
  savedSessions,
  stateFolderPath,
  terminalSafe,
  terminalSafeJson,
  toMarkdown,
} from '@toolwright/core';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { type Arguments, parseCommandLine, refuseFurther } from '../command-line/args.js';

const flags = [
  { name: 'json', help: 'Print JSON.' },
  {
    name: 'format',
    value: 'FORMAT',
    choices: ['markdown', 'json'],
    help: 'With export: Markdown (default) or the journal as a JSON array.',
  },
];

/** `sessions list|show|export`. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  const [action, id] = parsed.words;
  if (parsed.switches.has('help')) return help();
  const signal = abortOnInterrupt();
  const state = openStateFolder(stateFolderPath(process.env));
  const { directory } = createWorkspace({ directory: parsed.values.get('workspace') ?? '.' });
  switch (action) {
    case 'list':
      refuseFurther(parsed.words.slice(1), 'sessions list');
      return list(await savedSessions(state, directory, signal), parsed);
    case 'show':
    case 'export': {
      refuseFurther(parsed.words.slice(2), `sessions ${action} ID`);
      const entries = await entriesOf(await sessionNamed(id, { state, directory }), signal);
      const asJson = parsed.switches.has('json') || parsed.values.get('format') === 'json';
      const text = asJson ? `${terminalSafeJson(entries, 2)}\n` : toMarkdown(entries);
      process.stdout.write(process.stdout.isTTY ? terminalSafe(text) : text);
      return exitCodes.done;
    }
    default:
      throw new UsageError(
        action === undefined
          ? 'sessions needs list, show or export.'
          : `There is no command sessions ${action}. It is list, show or export.`,
      );
  }
}

/** An id that is not there is a mistake in the command line, as it is for every other command. */
async function sessionNamed(
  id: string | undefined,
  { state, directory }: { state: ReturnType<typeof openStateFolder>; directory: string },
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
    process.stdout.write(`${terminalSafeJson(sessions, 2)}\n`);
    return exitCodes.done;
  }
  const shown = sessions.filter(({ messages, calls }) => messages + calls > 0);
  if (shown.length === 0) process.stdout.write('There are no sessions in this workspace.\n');
  for (const { id, startedAt, title, front, messages, calls } of shown) {
    const made = `${calls} ${calls === 1 ? 'call' : 'calls'}`;
    const size = messages > 0 ? `${messages} messages, ${made}` : made;
    process.stdout.write(
      terminalSafe(`${id}  ${startedAt.slice(0, 16).replace('T', ' ')}  ${size}  ${title || `(${front})`}\n`),
    );
  }
  return exitCodes.done;
}

async function help(): Promise<number> {
  const { flagTable } = await import('../command-line/help.js');
  process.stdout.write(`Usage
  toolwright sessions list                 earlier sessions of this workspace, newest first
  toolwright sessions show [ID]            one of them as Markdown (default: the latest conversation)
  toolwright sessions export ID --format json

To go on with one: toolwright --resume ID

Flags
${flagTable(flags)}
`);
  return exitCodes.done;
}
