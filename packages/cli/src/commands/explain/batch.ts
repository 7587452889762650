import { type Permission, type RuleText, SettingsError, type Toolbox } from '@toolwright/core';
import { explainCall, isJsonObject } from '@toolwright/core/front-end';
import { exitCodes } from '../../base/exit-codes.js';
import { printJson } from '../../base/print.js';
import { stdinLines, tooLong } from '../../base/read-stdin.js';
import { callOfLine } from '../call-line.js';
import { loadOwnTool } from './written-call.js';

/** Explains one call per line. A bad line gives an error line; only the end of the input ends the batch. */
export async function explainBatch(toolbox: Toolbox, signal: AbortSignal): Promise<number> {
  let [number, badLines] = [0, 0];
  for await (const line of stdinLines()) {
    number += 1;
    if (signal.aborted) return exitCodes.cancelled;
    if (line !== tooLong && line.trim() === '') continue;
    const answer = await explainLine(line);
    if ('error' in answer) badLines += 1;
    printJson(answer);
  }
  return badLines > 0 ? exitCodes.failure : exitCodes.done;

  async function explainLine(line: string | typeof tooLong): Promise<object> {
    const read = callOfLine(line);
    if ('problem' in read) return mistake(read.problem);
    try {
      const permission = await permissionOf(read.fields['permissions'], `line ${number}`, toolbox);
      if ('problem' in permission) return mistake(permission.problem);
      await loadOwnTool(read.call, toolbox, signal);
      return await explainCall(read.call, { ...toolbox, permission });
    } catch (error) {
      if (error instanceof SettingsError) return mistake(error.message);
      throw error;
    }
  }
}

async function permissionOf(
  permissions: unknown,
  where: string,
  { permission, permissionUnder }: Toolbox,
): Promise<Permission | { problem: string }> {
  if (permissions === undefined) return permission;
  const rules = standInRules(permissions, where);
  return 'problem' in rules ? rules : permissionUnder(rules);
}

function mistake(message: string): object {
  return { error: { code: 'invalid_params', message } };
}

const verdicts = ['deny', 'ask', 'allow'] as const;

/** Reads the rules of a `permissions` object, or says what is wrong with it. `where` names it to the user. */
function standInRules(permissions: unknown, where: string): RuleText[] | { problem: string } {
  if (!isJsonObject(permissions))
    return { problem: 'permissions must be an object with the lists allow, ask and deny.' };
  const unknown = Object.keys(permissions).find((name) => !(verdicts as readonly string[]).includes(name));
  if (unknown !== undefined)
    return { problem: `permissions has no ${JSON.stringify(unknown)}; its lists are allow, ask and deny.` };
  const rules: RuleText[] = [];
  for (const verdict of verdicts) {
    const list = permissions[verdict] ?? [];
    if (!Array.isArray(list) || !list.every((rule) => typeof rule === 'string'))
      return { problem: `permissions.${verdict} must be a list of rules, each a string.` };
    list.forEach((text: string, index) => {
      rules.push({ verdict, text, source: `${where}: permissions.${verdict}[${index}]` });
    });
  }
  return rules;
}
