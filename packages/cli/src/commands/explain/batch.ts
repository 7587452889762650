import {
  explainCall,
  type Permission,
  SettingsError,
  type Toolbox,
  terminalSafeJson,
} from '@toolwright/core';
import { exitCodes } from '../../base/exit-codes.js';
import { stdinLines, tooLong } from '../../base/read-stdin.js';
import { callOfLine } from '../call-line.js';
import { loadOwnTool } from './load-own-tool.js';
import { standInRules } from './stand-in-rules.js';

/** Explains one call per line. A bad line gives an error line; only the end of the input ends the batch. */
export async function explainBatch(toolbox: Toolbox, signal: AbortSignal): Promise<number> {
  let [number, badLines] = [0, 0];
  for await (const line of stdinLines()) {
    number += 1;
    if (signal.aborted) return exitCodes.cancelled;
    if (line !== tooLong && line.trim() === '') continue;
    const answer = await explainLine(line);
    if ('error' in answer) badLines += 1;
    process.stdout.write(`${terminalSafeJson(answer)}\n`);
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
