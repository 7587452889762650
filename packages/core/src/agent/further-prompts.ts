import { type Part, textOf } from '@toolwright/machine/base/content.js';
import type { AgentOptions } from './agent.js';

interface FurtherPromptsNeeds extends Pick<AgentOptions, 'between' | 'emit'> {
  /** Gives the parts that go with a prompt, or why it must not be sent. */
  prepare(prompt: string, signal: AbortSignal): Promise<Part[] | { refused: string }>;
}

/** What the user writes while the model works is a prompt like any other: hooks may refuse it, and it may name agents and servers. */
export function furtherPrompts({ between, prepare, emit }: FurtherPromptsNeeds): AgentOptions['between'] {
  if (!between) return undefined;
  return async (signal) => {
    const parts = await between(signal);
    if (!parts?.length) return null;
    const added = await prepare(textOf(parts), signal);
    if (!('refused' in added)) return [...parts, ...added];
    emit({ type: 'notice', message: added.refused });
    return null;
  };
}
