import type { Part } from '@toolwright/machine/base/content.js';
import { cutDeep, isJsonObject } from '@toolwright/machine/base/json.js';
import { decodeArguments } from '../decode-arguments.js';
import type { FinishReason, ModelEvent, RawCall, Usage } from '../model.js';

/** Knowledge that a decoder needs beside the stream itself. */
export interface AnswerContext {
  newCallId(): string;
  /** Is the id already used by an earlier call of the conversation? */
  isIdTaken(id: string): boolean;
  /** Turns the names that were sent into the tool's own. */
  restore(call: NamedCall): NamedCall;
}

export interface NamedCall {
  name: string;
  arguments: string | Record<string, unknown>;
}

export interface ArrivingCall {
  id: string;
  name: string;
  arguments: string | Record<string, unknown>;
  signature?: string;
  /** The server said that more of it would come. */
  isUnfinished?: boolean;
}

type Piece = { part: Part } | { call: ArrivingCall };

/** An answer under construction: hands on deltas at once, and keeps the parts for the history. */
export interface AnswerDraft {
  text(delta: string, signature?: string): ModelEvent[];
  thinking(delta: string, signature?: string): ModelEvent[];
  /** Ends the current thought with the provider's proof of it. */
  sign(signature: string): void;
  openCall(call: ArrivingCall): ArrivingCall;
  readonly hasCalls: boolean;
  readonly isEmpty: boolean;
  usage(usage: Usage): void;
  /** Calls, usage and `finish`. Calls wait until here: only the end tells whether the last one is whole. */
  finish(reason: FinishReason): ModelEvent[];
}

/** Adds to the last part where it is of the same kind and still open; a signature closes it. */
function createAppend(pieces: Piece[]): (delta: string, thought: boolean, signature?: string) => void {
  const lastPart = (thought: boolean): Part | undefined => {
    const last = pieces.at(-1);
    if (!last || !('part' in last)) return undefined;
    const { part } = last;
    return part.thoughtSignature === undefined && (part.thought ?? false) === thought ? part : undefined;
  };

  return (delta, thought, signature) => {
    const open = lastPart(thought);
    if (open) open.text = (open.text ?? '') + delta;
    else if (delta !== '' || signature !== undefined)
      pieces.push({ part: { text: delta, thought: thought || undefined } });
    const target = lastPart(thought);
    if (target && signature !== undefined) target.thoughtSignature = signature;
  };
}

export function createAnswer(context: AnswerContext): AnswerDraft {
  const pieces: Piece[] = [];
  const append = createAppend(pieces);
  let usage: Usage | undefined;
  return {
    text: (delta, signature) => {
      append(delta, false, signature);
      return delta === '' ? [] : [{ type: 'text-delta', text: delta }];
    },
    thinking: (delta, signature) => {
      append(delta, true, signature);
      return delta === '' ? [] : [{ type: 'thinking-delta', text: delta }];
    },
    sign: (signature) => append('', true, signature),
    openCall: (call) => {
      pieces.push({ call });
      return call;
    },
    get hasCalls() {
      return pieces.some((piece) => 'call' in piece);
    },
    get isEmpty() {
      return pieces.length === 0;
    },
    usage: (given) => {
      usage = given;
    },
    finish: (reason) => {
      const settled = settlePieces(pieces, reason, context);
      const events: ModelEvent[] = settled.calls.map((call) => ({ type: 'call', call }));
      if (usage) events.push({ type: 'usage', usage });
      events.push({ type: 'finish', reason: settledReason(reason, settled.calls), parts: settled.parts });
      return events;
    },
  };
}

function settledReason(reason: FinishReason, calls: readonly RawCall[]): FinishReason {
  if (calls.length > 0 && reason === 'stop') return 'calls';
  return calls.length === 0 && reason === 'calls' ? 'stop' : reason;
}

function settlePieces(
  pieces: readonly Piece[],
  reason: FinishReason,
  context: AnswerContext,
): { calls: RawCall[]; parts: Part[] } {
  const calls: RawCall[] = [];
  const parts: Part[] = [];
  const used = new Set<string>();
  for (const piece of pieces) {
    if ('part' in piece) {
      parts.push(piece.part);
      continue;
    }
    const { call: arriving } = piece;
    if (arriving.name === '' && arriving.arguments === '') continue;
    const id = uniqueId(arriving.id, used, context);
    const { name, arguments: args } = context.restore({
      name: arriving.name,
      arguments: objectOrText(arriving.arguments),
    });
    const call: RawCall = { id, name, arguments: args };
    // Some servers never close a call, and yet say that the answer ended well.
    if (arriving.isUnfinished && reason !== 'stop') call.isUnfinished = true;
    calls.push(call);
    parts.push(partOf(call, arriving.signature));
  }
  return { calls, parts };
}

function uniqueId(wanted: string, used: Set<string>, context: AnswerContext): string {
  let id = wanted;
  while (id === '' || used.has(id) || context.isIdTaken(id)) id = context.newCallId();
  used.add(id);
  return id;
}

function partOf(call: RawCall, signature: string | undefined): Part {
  const args = typeof call.arguments === 'string' ? { unparsed_arguments: call.arguments } : call.arguments;
  return {
    functionCall: { id: call.id, name: call.name, args },
    thoughtSignature: signature,
  };
}

/** Text that is no object stays as it came: the scheduler repairs it, or says what is wrong with it. */
function objectOrText(given: ArrivingCall['arguments']): ArrivingCall['arguments'] {
  const value = typeof given === 'string' ? decodeArguments(given) : given;
  return isJsonObject(value) ? cutDeep(value) : given;
}
