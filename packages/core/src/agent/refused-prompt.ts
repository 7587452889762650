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

/** One of several prompts that the user wrote while the model worked. */
export interface FurtherPrompt {
  parts: Part[];
  /** Called when it is sure what becomes of it: null where it goes to the model, else why a hook refused it. */
  onEnd?(refused: string | null): void;
}

interface FurtherPromptsNeeds extends Pick<AgentOptions, 'emit'> {
  between: ((signal: AbortSignal) => Promise<Part[] | FurtherPrompt[] | null>) | undefined;
  /** Gives the parts that go with a prompt, or why it must not be sent. */
  prepare(prompt: string, signal: AbortSignal): Promise<Part[] | { refused: string }>;
}

/** What the user writes while the model works is a prompt like any other: hooks may refuse it, and it may name agents and servers. */
export function furtherPrompts({ between, prepare, emit }: FurtherPromptsNeeds): AgentOptions['between'] {
  if (!between) return undefined;
  return async (signal) => {
    const prepared: { prompt: FurtherPrompt; added: Part[] | { refused: string } }[] = [];
    for (const prompt of promptsIn((await between(signal)) ?? []))
      prepared.push({ prompt, added: await prepare(textOf(prompt.parts), signal) });
    // Whatever ends the turn before this point leaves every prompt with whoever wrote it.
    const sent = prepared.flatMap(({ prompt: { parts, onEnd }, added }) => {
      const refused = 'refused' in added ? added.refused : null;
      if (refused !== null) emit({ type: 'notice', message: refused });
      onEnd?.(refused);
      return 'refused' in added ? [] : [...parts, ...added];
    });
    return sent.length > 0 ? sent : null;
  };
}

function promptsIn(written: Part[] | FurtherPrompt[]): FurtherPrompt[] {
  const isList = (each: typeof written): each is FurtherPrompt[] => each.every((one) => 'parts' in one);
  return isList(written) ? written : [{ parts: written }];
}
