import { explainCall, type RuleText, SettingsError, type Toolbox } from '@toolwright/core';
import { exitCodes } from '../../exit-codes.js';
import { stdinLines, tooLong } from '../../read-stdin.js';
import { standInRules } from './stand-in-rules.js';
import { callOfLine } from './written-call.js';

/** Opens the tools under the rules of the settings, or under these alone. */
export type OpenUnder = (rules?: RuleText[]) => Promise<Toolbox>;

/** One explanation a line. A line that can't be used gives an error line; only the end of the input ends the batch. */
export async function explainBatch(openUnder: OpenUnder, signal: AbortSignal): Promise<number> {
  const toolboxes = keptToolbox(openUnder);
  let [number, badLines] = [0, 0];
  try {
    for await (const line of stdinLines()) {
      number += 1;
      if (signal.aborted) return exitCodes.cancelled;
      if (line !== tooLong && line.trim() === '') continue;
      const answer = await explainLine(line, `line ${number}`, toolboxes.under);
      if ('error' in answer) badLines += 1;
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    }
  } finally {
    await toolboxes.close();
  }
  return badLines > 0 ? exitCodes.failure : exitCodes.done;
}

async function explainLine(
  line: string | typeof tooLong,
  where: string,
  under: (permissions: unknown, where: string) => Promise<Toolbox | { problem: string }>,
): Promise<object> {
  if (line === tooLong) return mistake('This line is larger than 64 MB.');
  const read = callOfLine(line);
  if ('problem' in read) return mistake(read.problem);
  try {
    const toolbox = await under(read.permissions, where);
    return 'problem' in toolbox ? mistake(toolbox.problem) : await explainCall(read.call, toolbox);
  } catch (error) {
    if (error instanceof SettingsError) return mistake(error.message);
    throw error;
  }
}

function mistake(message: string): object {
  return { error: { code: 'invalid_params', message } };
}

/** Lines often come with the same permissions: the tools opened last are kept. */
function keptToolbox(openUnder: OpenUnder) {
  let kept: { key: string; toolbox: Toolbox } | undefined;
  const close = async (): Promise<void> => {
    await kept?.toolbox.close();
    kept = undefined;
  };
  return {
    close,
    async under(permissions: unknown, where: string): Promise<Toolbox | { problem: string }> {
      const key = JSON.stringify(permissions) ?? '';
      if (kept?.key === key) return kept.toolbox;
      const rules = permissions === undefined ? undefined : standInRules(permissions, where);
      if (rules && 'problem' in rules) return rules;
      const toolbox = await openUnder(rules);
      await close();
      kept = { key, toolbox };
      return toolbox;
    },
  };
}
