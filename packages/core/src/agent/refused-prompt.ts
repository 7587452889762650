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
