import type { Agent } from '@toolwright/core';
import { describeMemory, viewMemory } from '../actions/describe-memory.js';
import { forgetFact } from '../actions/memory.js';
import { describeRules, revokeAnswer } from '../actions/permissions.js';
import { type Prefix, type ReportItem, textItem } from '../actions/report.js';
import { changesHere, undo } from '../actions/undo.js';
import { describeChanges } from '../actions/undo-list.js';
import type { State } from '../app/state.js';
import type { Setup } from '../setup/runtime.js';
import type { Front } from '../ui/front.js';

/** Everything a slash command may use. */
export interface SlashContext {
  agent: Agent;
  setup: Setup;
  state: State;
  signal: AbortSignal;
  ask: Front['ask'];
  /** Goes to the model with the next prompt. */
  tellModel(text: string): void;
}

const prefix: Prefix = '/';

/** `/undo`, `/undo ID`, `/undo list`. */
export async function undoHere(
  { agent, signal, tellModel }: SlashContext,
  rest: string,
): Promise<ReportItem[]> {
  if (/^(?:--)?list$/.test(rest))
    return [textItem(describeChanges(await changesHere(agent, signal), agent.host.workspace.show))];
  const { report, paths } = await undo(agent, rest, { prefix, signal });
  if (paths.length > 0)
    tellModel(
      `The user has undone an earlier change; these files are as they were before it: ${paths.join(', ')}.`,
    );
  return report;
}

/** `/memory`, `/memory forget WORDS`. */
export async function memoryHere(
  { agent, setup, signal }: SlashContext,
  rest: string,
): Promise<ReportItem[]> {
  const wanted = /^forget\s+(\S.*)$/s.exec(rest)?.[1];
  if (wanted !== undefined) return forgetFact(agent, setup, { wanted, prefix, signal });
  if (rest !== '' && rest !== 'show') return [textItem('Type /memory or /memory forget WORDS.', 'warning')];
  return [textItem(describeMemory(await viewMemory(agent, setup, signal), prefix))];
}

/** `/permissions`, `/permissions revoke NUMBER`. */
export async function permissionsHere({ agent, signal }: SlashContext, rest: string): Promise<ReportItem[]> {
  const wanted = /^revoke\s+(\S.*)$/s.exec(rest)?.[1];
  if (wanted !== undefined) {
    const { rule } = await revokeAnswer(agent, wanted, { prefix, signal });
    return [textItem(`Taken back: ${rule}. It is asked about again.`, 'good')];
  }
  return rest === '' || rest === 'list'
    ? [textItem(describeRules(agent, prefix))]
    : [textItem('Type /permissions or /permissions revoke NUMBER.', 'warning')];
}
