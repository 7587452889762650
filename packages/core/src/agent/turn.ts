import type { Part } from '@toolwright/machine/base/content.js';
import type { FinishReason, ModelClient, ModelRequest, RawCall, Usage } from '../model/model.js';
import type { AgentEvent } from './events.js';

export interface Turn {
  text: string;
  calls: RawCall[];
  parts: Part[];
  reason: FinishReason;
  usage: Usage | null;
  /** The model that answered, where it is not the one that was asked. */
  model?: string;
}

/** Streams one answer, passing on what can be shown; an answer that breaks off throws with what came so far in `partial`. */
export async function runTurn(
  model: ModelClient,
  request: ModelRequest,
  { emit, signal }: { emit(event: AgentEvent): void; signal: AbortSignal },
): Promise<Turn> {
  let turn = emptyTurn();
  try {
    for await (const event of model.stream(request, signal)) {
      switch (event.type) {
        case 'text-delta':
          turn.text += event.text;
          emit(event);
          break;
        case 'thinking-delta':
        case 'notice':
          emit(event);
          break;
        case 'restart':
          emit({ ...event, type: 'answer-restart', text: turn.text });
          turn = emptyTurn();
          break;
        case 'call':
          turn.calls.push(event.call);
          break;
        case 'usage':
          turn.usage = event.usage;
          turn.model = event.by?.model;
          break;
        case 'finish':
          turn.reason = event.reason;
          turn.parts = event.parts;
          break;
      }
    }
  } catch (cause) {
    throw new BrokenTurn(turn.text, cause);
  }
  return { ...turn, calls: markCutOff(turn) };
}

/**
 * A call is cut off if its answer ended before it. The last call of an answer that ended at its length limit is not to be
 * trusted, even if it reads as whole: some servers close the braces of what the limit cut off.
 */
function markCutOff({ calls, reason }: Turn): RawCall[] {
  const last = calls.at(-1);
  const isCutOff = (call: RawCall): boolean =>
    call.isUnfinished === true || (reason === 'length' && call === last);
  return calls.map((call) => (isCutOff(call) ? { ...call, cutOff: true } : call));
}

function emptyTurn(): Turn {
  return { text: '', calls: [], parts: [], reason: 'other', usage: null };
}

/** The answer broke off; what was said until then is kept. */
export class BrokenTurn extends Error {
  override readonly name = 'BrokenTurn';

  constructor(
    readonly partial: string,
    override readonly cause: unknown,
  ) {
    super('the answer broke off');
  }
}
