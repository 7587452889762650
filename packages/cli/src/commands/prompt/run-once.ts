import { ModelError } from '@toolwright/core';
import { exitCodeOfError, exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { isStdinTerminal, pipedText } from '../../base/read-stdin.js';
import { isTerminal } from '../../base/standard-output.js';
import { type Arguments, parseCommandLine } from '../../command-line/args.js';
import { commandList } from '../../command-line/command-list.js';
import { promptFlags } from '../../command-line/flags.js';
import { runHeadless, withFiles } from './headless-run.js';
import { createOutput } from './output.js';

/** Answers one prompt and ends: `-p`, or a prompt on standard input. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, promptFlags);
  if (parsed.switches.has('help')) {
    (await import('../../command-line/help.js')).printHelp();
    return exitCodes.done;
  }
  refuseWord(parsed);
  try {
    if (isConversation(parsed))
      return await (await import('../../conversation/interactive.js')).converse(parsed);
    return await answer(parsed);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    createOutput('text').notice(error.message);
    return exitCodeOfError(error);
  }
}

/** Refuses a single word, which is no prompt: it is a command in the wrong place, or a slip. */
function refuseWord({ words, values }: Arguments): void {
  const [word = ''] = words;
  if (words.length === 0) return;
  if (commandList.some(({ name }) => name === word) || (words.length === 1 && !/\S\s+\S/.test(word)))
    throw new UsageError(misplaced(word));
  if (values.has('prompt'))
    throw new UsageError(
      `Two prompts were given: one after -p, and ${JSON.stringify(words.join(' ').slice(0, 100))}.`,
    );
}

function misplaced(word: string): string {
  return commandList.some(({ name }) => name === word)
    ? `Flags come after the command: toolwright ${word} …`
    : `Unexpected ${word}. A prompt goes after -p, in quotes.`;
}

async function answer(parsed: Arguments): Promise<number> {
  if (parsed.values.get('input-format') === 'stream-json')
    return (await import('./converse-on-pipe.js')).converseOnPipe(parsed);
  const prompt = await promptOf(parsed);
  return runHeadless(parsed, {
    signal: abortOnInterrupt(),
    work: async (agent, { output, signal }) =>
      agent.prompt(await withFiles(prompt, { agent, output, signal }), signal),
  });
}

/** True with a user at both ends and no prompt yet. */
function isConversation({ values }: Arguments): boolean {
  const isSeen = isStdinTerminal() && isTerminal(1);
  return isSeen && !values.has('prompt') && (values.get('output-format') ?? 'text') === 'text';
}

async function promptOf(parsed: Arguments): Promise<string> {
  const given = parsed.values.get('prompt') ?? (parsed.words.length > 0 ? parsed.words.join(' ') : undefined);
  if (isStdinTerminal()) {
    if (given !== undefined && given.trim() !== '') return given;
    throw new UsageError(
      'Nothing to do. Give a prompt: toolwright -p "list ."   (toolwright --help shows the rest)',
    );
  }
  const piped = await pipedText({ isOptional: given !== undefined });
  const prompt = [given, piped].filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
  if (prompt === '')
    throw new UsageError(
      'There is no prompt: neither -p nor anything on standard input. Usage: toolwright -p "list ."   (toolwright --help shows the rest)',
    );
  return prompt;
}
