import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import type { Toolbox } from '@toolwright/core';
import {
  type Choice,
  createLiveText,
  type TriedCommand,
  terminalSafe,
  tryCommand,
} from '@toolwright/core/front-end';
import {
  describeItems,
  keepChosen,
  keepUnseen,
  nothingKept,
  type SettledChanges,
} from '../actions/waiting-changes.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { printJson, warn } from '../base/print.js';
import { isStdinTerminal } from '../base/read-stdin.js';
import { type Arguments, parseCommandLine } from '../command-line/args.js';
import { commonFlags, type Flag, sandboxFlag } from '../command-line/flags.js';
import { withToolbox } from '../setup/runtime.js';
import { type Command, defineCommand } from './command.js';

const flags: readonly Flag[] = [
  { name: 'keep', help: 'Keep all changes without a question, unless one of them needs review.' },
  { name: 'drop', help: 'Show the changes and drop them.' },
  { name: 'network', help: 'Let the command reach the network.' },
  {
    name: 'json',
    help: 'Print the changes as JSON on standard output; the command prints to standard error.',
  },
  sandboxFlag,
];

const usage = `  toolwright try COMMAND…       run a command on a copy of this folder, look at what it changed, then keep or drop it
  toolwright try -- npm update  the same; words after -- belong to the command
  toolwright try 'make && ./run' one word is a line for bash

Flags go before the command. It exits with the status of the command; 1 when --keep had to refuse, 125 when
Toolwright itself failed, 130 when it was cancelled. Without a terminal and without --keep the changes are dropped.`;

/** Failures of our own must differ from those of the command. */
const OWN_FAILURE = 125;

const help = defineCommand({ usage, flags, run: async () => exitCodes.done });

export const run: Command = async (words) => {
  const { own, command } = splitWords(words);
  const args = parseCommandLine(own, flags);
  if (args.switches.has('help')) return help(['--help']);
  if (command === null)
    throw new UsageError('try needs a command: toolwright try npm update. toolwright try --help says more.');
  if (args.switches.has('keep') && args.switches.has('drop'))
    throw new UsageError('--keep and --drop exclude each other.');
  try {
    return await withToolbox(args, { front: 'try' }, (toolbox) => tryAndSettle(toolbox, command, args));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ToolError') throw error;
    warn(error.message);
    return OWN_FAILURE;
  }
};

/** Our own flags, and the command line that begins with the first other word. */
function splitWords(words: readonly string[]): { own: string[]; command: string | null } {
  const takesValue = new Set(
    [...flags, ...commonFlags].filter(({ value }) => value).map(({ name }) => `--${name}`),
  );
  let at = 0;
  while (at < words.length && words[at]!.startsWith('-') && words[at] !== '--')
    at += takesValue.has(words[at]!) ? 2 : 1;
  const command = words.slice(words[at] === '--' ? at + 1 : at);
  const [line] = command;
  const isLine = command.length === 1;
  return {
    own: words.slice(0, at),
    command: line === undefined ? null : isLine ? line : command.map(quoted).join(' '),
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

async function tryAndSettle(toolbox: Toolbox, command: string, args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const isJson = args.switches.has('json');
  const output = openOutput({ isJson });
  const tried = await tryCommand(toolbox, {
    command,
    network: args.switches.has('network'),
    signal,
    onBytes: output.write,
    say: warn,
  });
  output.end();
  try {
    const settled = await settle(tried, { toolbox, command, args, signal });
    if (isJson) printJson(asJson(tried, settled), 2);
    if (tried.stopped || (signal.aborted && settled.kept === null)) return exitCodes.cancelled;
    const isLeftOut = args.switches.has('keep') && (settled.refused.length > 0 || tried.notKept !== null);
    return isLeftOut ? exitCodes.failure : statusOf(tried);
  } finally {
    await tried.drop();
  }
}

function statusOf({ exitCode, signal }: TriedCommand): number {
  const numbers: Record<string, number> = constants.signals;
  return exitCode ?? 128 + (numbers[signal ?? ''] ?? 0);
}

interface Settling {
  toolbox: Toolbox;
  command: string;
  args: Arguments;
  signal: AbortSignal;
}

async function settle(tried: TriedCommand, settling: Settling): Promise<SettledChanges> {
  const { toolbox, args } = settling;
  const { show } = toolbox.host.workspace;
  for (const note of tried.notes) warn(note);
  if (tried.notKept !== null) {
    warn(tried.notKept);
    return nothingKept;
  }
  const { items } = tried.review;
  if (items.length === 0) {
    warn(`The command ${endOf(tried)} and changed no files here.`);
    return nothingKept;
  }
  const keeping = { show, signal: settling.signal };
  if (args.switches.has('keep'))
    return keepUnseen(tried, { ...keeping, choice: 'all', remedy: 'Try it at a terminal without --keep.' });
  if (args.switches.has('drop') || !canAsk()) {
    const isAsked = args.switches.has('drop');
    warn(`What the command did: ${tried.review.summary}`);
    process.stderr.write(`${describeItems(tried.review, show)}\n`);
    warn(
      isAsked
        ? 'The changes were dropped.'
        : 'The changes were dropped: there is no terminal to ask at. --keep keeps them.',
    );
    return nothingKept;
  }
  const choice = await askAtTerminal(tried, settling);
  if (choice === 'all' || choice.size > 0) return keepChosen(tried, { ...keeping, choice });
  warn('The changes were dropped.');
  return nothingKept;
}

function canAsk(): boolean {
  return isStdinTerminal() && process.stderr.isTTY === true;
}

async function askAtTerminal(
  tried: TriedCommand,
  { toolbox, command, signal }: Settling,
): Promise<Choice | 'all'> {
  const { withTerminal } = await import('../ask/ask-on-terminal.js');
  const { askReview } = await import('../ask/review.js');
  const { show } = toolbox.host.workspace;
  const title = `Keep what ${shortened(command)} changed? It ${endOf(tried)}.`;
  return withTerminal((front) =>
    askReview(tried.review, { title, show, hunks: tried.hunks, ask: front.ask, signal }),
  );
}

const LONGEST_TITLE = 60;

function shortened(command: string): string {
  return command.length > LONGEST_TITLE ? `${command.slice(0, LONGEST_TITLE)}…` : command;
}

function endOf({ exitCode, signal }: TriedCommand): string {
  return exitCode === null ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
}

function asJson(tried: TriedCommand, { kept, refused }: SettledChanges) {
  const { exitCode, signal, confinement, notKept, notes, review } = tried;
  return {
    exitCode,
    signal,
    confinement,
    changes: review.items,
    digest: review.digest,
    notes: notKept === null ? notes : [...notes, notKept],
    kept: kept?.changeSet?.id ?? null,
    conflicts: refused.length > 0 ? refused : (kept?.conflicts ?? []),
  };
}

/** Passes output on as it comes; a terminal gets it without control sequences. */
function openOutput({ isJson }: { isJson: boolean }) {
  const targets = { stdout: isJson ? process.stderr : process.stdout, stderr: process.stderr };
  const texts = { stdout: openText(targets.stdout), stderr: openText(targets.stderr) };
  return {
    write(bytes: Buffer, stream: 'stdout' | 'stderr'): void {
      texts[stream].write(bytes);
    },
    end(): void {
      texts.stdout.end();
      texts.stderr.end();
    },
  };
}

function openText(target: NodeJS.WriteStream) {
  if (!target.isTTY) return { write: (bytes: Buffer) => void target.write(bytes), end: () => undefined };
  const [decoder, live] = [new StringDecoder('utf8'), createLiveText()];
  return {
    write: (bytes: Buffer) => void target.write(terminalSafe(live.write(decoder.write(bytes)))),
    end: () => void target.write(terminalSafe(live.write(decoder.end()) + live.end())),
  };
}
