import type { Toolbox } from '@toolwright/core';
import { safe } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';
import { describeRules, revokeAnswer } from '../commands/rules-in-force.js';
import { UsageError } from '../exit-codes.js';

/** `/permissions` shows, `/permissions revoke NUMBER` takes a remembered answer back. */
export async function permissions(toolbox: Toolbox, rest: string, signal: AbortSignal): Promise<NewBlock[]> {
  const wanted = /^revoke\s+(\S.*)$/s.exec(rest)?.[1];
  if (wanted === undefined) {
    return rest === '' || rest === 'list'
      ? [said(describeRules(toolbox, '/permissions revoke'), 'plain')]
      : [said('It is /permissions or /permissions revoke NUMBER.', 'warning')];
  }
  try {
    const { rule } = await revokeAnswer(toolbox, wanted, { listedBy: '/permissions', signal });
    return [said(`Taken back: ${rule}. It is asked about again.`, 'good')];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [said(error.message, 'warning')];
  }
}

function said(text: string, tone: 'plain' | 'good' | 'warning'): NewBlock {
  return { kind: 'said', text: safe(text), tone };
}
