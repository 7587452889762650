import { type Part, textOf } from '@toolwright/machine/base/content.js';
import type { AgentOptions } from './agent.js';
import type { AgentEvent, AgentResult } from './events.js';

/** The end of a prompt that a hook did not let through: nothing was sent. */
export function refusedPrompt(message: string, emit: (event: AgentEvent) => void): AgentResult {
  const result: AgentResult = {
    reason: 'failed',
    response: '',
    turns: 0,
    calls: 0,
    denials: [],
    changes: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    error: { kind: 'hook', message },
  };
  emit({ type: 'result', result });
  return result;
}

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
