import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import {
  type Choice,
  createLiveText,
  type KeptTry,
  summarize,
  type Toolbox,
  type TriedCommand,
  terminalSafe,
  tryCommand,
} from '@toolwright/core';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { printJson, warn } from '../base/print.js';
import { isStdinTerminal } from '../base/read-stdin.js';
import { type Arguments, parseCommandLine } from '../command-line/args.js';
import { commonFlags, type Flag, sandboxFlag } from '../command-line/flags.js';
import { withToolbox } from '../setup/runtime.js';
import { type Command, defineCommand } from './command.js';

const flags: readonly Flag[] = [
  { name: 'keep', help: 'Keep all changes without a question, unless one of them needs a look.' },
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

Flags stand before the command. It exits with the status of the command; 1 when --keep had to refuse, 125 when
Toolwright itself failed. Without a terminal and without --keep the changes are dropped.`;

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
  });
  output.end();
  try {
    const settled = await settle(tried, { toolbox, command, args, signal });
    if (isJson) printJson(asJson(tried, settled), 2);
    if (tried.stopped) return exitCodes.cancelled;
    return settled.refused.length > 0 ? exitCodes.failure : statusOf(tried);
  } finally {
    await tried.drop();
  }
}

function statusOf({ exitCode, signal }: TriedCommand): number {
  const numbers: Record<string, number> = constants.signals;
  return exitCode ?? 128 + (numbers[signal ?? ''] ?? 0);
}

interface SettledTry {
  kept: KeptTry | null;
  /** Changes that --keep did not dare to keep. */
  refused: { path: string; why: string }[];
}

interface Settling {
  toolbox: Toolbox;
  command: string;
  args: Arguments;
  signal: AbortSignal;
}

const nothingKept: SettledTry = { kept: null, refused: [] };

async function settle(tried: TriedCommand, settling: Settling): Promise<SettledTry> {
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
  if (args.switches.has('keep')) return keepUnseen(tried, settling);
  if (args.switches.has('drop') || !canAsk()) {
    const isAsked = args.switches.has('drop');
    printChanges(tried, show);
    warn(
      isAsked
        ? 'The changes were dropped.'
        : 'The changes were dropped: there is no terminal to ask at. --keep keeps them.',
    );
    return nothingKept;
  }
  const choice = await askAtTerminal(tried, settling);
  return { kept: await keep(tried, choice, settling), refused: [] };
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

/** Nobody looks at these changes, so none may do harm later. */
async function keepUnseen(tried: TriedCommand, settling: Settling): Promise<SettledTry> {
  const { show } = settling.toolbox.host.workspace;
  const refused = await tried.refusedUnseen();
  if (refused.length === 0) {
    const kept = await keep(tried, 'all', settling);
    return { kept, refused: kept?.conflicts ?? [] };
  }
  for (const { path, why } of refused.slice(0, 20)) warn(`${show(path)}: ${why}`);
  warn('Nothing was kept, because these changes need a look. Try it at a terminal without --keep.');
  return { kept: null, refused };
}

async function keep(
  tried: TriedCommand,
  choice: Choice | 'all',
  { toolbox, signal }: Settling,
): Promise<KeptTry | null> {
  if (choice !== 'all' && choice.size === 0) {
    warn('The changes were dropped.');
    return null;
  }
  const kept = await tried.keep(choice, signal);
  const { show } = toolbox.host.workspace;
  for (const path of kept.merged) warn(`${show(path)} was changed meanwhile; both changes are in it now.`);
  for (const { path, why } of kept.conflicts) warn(`Left out: ${show(path)}: ${why}`);
  if (kept.changeSet)
    warn(`Kept: ${summarize(kept.changeSet)}. To take it back: toolwright undo ${kept.changeSet.id}`);
  else warn('Nothing was kept.');
  return kept;
}

function printChanges({ review }: TriedCommand, show: (path: string) => string): void {
  warn(`The command ${review.summary}:`);
  for (const { path, change, added, removed, warnings, unified } of review.items) {
    const lines = added + removed > 0 ? ` (+${added} -${removed})` : '';
    process.stderr.write(
      terminalSafe(`${change} ${show(path)}${lines}${warnings.map((why) => `, ${why}`).join('')}\n`),
    );
    if (unified !== '') process.stderr.write(terminalSafe(`${unified.trimEnd()}\n`));
  }
}

function asJson(tried: TriedCommand, { kept, refused }: SettledTry) {
  const { exitCode, signal, confinement, notKept, notes, review } = tried;
  return {
    exitCode,
    signal,
    confinement,
    changes: review.items,
    digest: review.digest,
    notes: notKept === null ? notes : [...notes, notKept],
    kept: kept?.changeSet?.id ?? null,
    conflicts: [...(kept?.conflicts ?? []), ...refused],
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
