import type { Blob, FunctionResponse, Message, Part } from '@toolwright/machine/base/content.js';
import { interruptedResponse } from '../interrupted-call.js';

/** A piece of a message, with every call and result under an id that fits. */
export type Item =
  | { kind: 'text'; text: string; signature?: string }
  | { kind: 'thought'; text: string; signature?: string }
  | { kind: 'media'; blob: Blob; uri?: string }
  | { kind: 'call'; id: string; name: string; args: Record<string, unknown>; signature?: string }
  | ResultItem;

export interface ResultItem {
  kind: 'result';
  id: string;
  name: string;
  text: string;
  failed: boolean;
  response: Record<string, unknown>;
  media: Blob[];
}

export interface WireTurn {
  role: 'user' | 'model';
  items: Item[];
  /** Results made up for calls that never got one; they go before this turn. */
  interrupted: ResultItem[];
}

/** State after the earlier messages: calls that wait for a result, and the ids in use. */
export interface PairingState {
  pending: Map<string, { id: string; name: string; ownId: string }>;
  used: Set<string>;
  made: number;
}

export interface PairingRules {
  /** An id in the form the provider takes. */
  wireId(id: string): string;
}

export function startPairing(): PairingState {
  return { pending: new Map(), used: new Set(), made: 0 };
}

/**
 * A message as a list of items in which calls and results belong together: ids that are missing, repeated
 * or of the wrong form are replaced, results without a call become text. Changes the state.
 */
export function pairMessage(message: Message, state: PairingState, rules: PairingRules): WireTurn {
  const answers = message.parts.some((part) => part.functionResponse !== undefined);
  const interrupted = answers ? [] : closePending(state);
  const pairing = { role: message.role, state, rules };
  const items = message.parts.flatMap((part) => itemsOf(part, pairing));
  return { role: message.role, items, interrupted };
}

/** Results for calls that are still open when the request is sent. */
export function closePending(state: PairingState): ResultItem[] {
  const results = [...state.pending.values()].map((call) => resultItem(call, interruptedResponse(call)));
  state.pending.clear();
  return results;
}

interface Pairing {
  role: WireTurn['role'];
  state: PairingState;
  rules: PairingRules;
}

function itemsOf(part: Part, { role, state, rules }: Pairing): Item[] {
  const signature = part.thoughtSignature === undefined ? {} : { signature: part.thoughtSignature };
  if (part.functionCall) {
    const { id: ownId = '', name = '', args = {} } = part.functionCall;
    const id = callId(ownId, state, rules);
    state.pending.set(id, { id, name, ownId });
    return [{ kind: 'call', id, name, args, ...signature }];
  }
  if (part.functionResponse) return [resultOf(part.functionResponse, state)];
  if (part.inlineData) return [{ kind: 'media', blob: part.inlineData }];
  if (part.fileData) {
    const { mimeType, fileUri, displayName } = part.fileData;
    const blob = {
      mimeType,
      displayName,
    };
    return [{ kind: 'media', blob, uri: fileUri }];
  }
  if (part.thought) return role === 'model' ? [{ kind: 'thought', text: part.text ?? '', ...signature }] : [];
  return part.text === undefined ? [] : [{ kind: 'text', text: part.text, ...signature }];
}

function callId(own: string, state: PairingState, rules: PairingRules): string {
  let id = rules.wireId(own === '' ? `call-${++state.made}` : own);
  while (state.used.has(id)) id = rules.wireId(`${own}-${++state.made}`);
  state.used.add(id);
  return id;
}

function resultOf(response: FunctionResponse, state: PairingState): Item {
  const { id: ownId = '', name = '' } = response;
  const open = [...state.pending.values()];
  const call =
    (ownId === '' ? undefined : open.find((candidate) => candidate.ownId === ownId)) ??
    open.find((candidate) => candidate.name === name && (ownId === '' || candidate.ownId === ''));
  if (!call) {
    const { text } = textOfResponse(response.response ?? {});
    return { kind: 'text', text: `Result of an earlier call of ${name || 'a tool'}:\n${text}` };
  }
  state.pending.delete(call.id);
  return resultItem({ id: call.id, name: name || call.name }, response);
}

function resultItem(
  { id, name }: Pick<ResultItem, 'id' | 'name'>,
  { response = {}, parts = [] }: FunctionResponse,
): ResultItem {
  const media = parts.flatMap((part) => (part.inlineData ? [part.inlineData] : []));
  return { kind: 'result', id, name, ...textOfResponse(response), response, media };
}

function textOfResponse(response: Record<string, unknown>): { text: string; failed: boolean } {
  const { output, error } = response;
  if (typeof output === 'string' && Object.keys(response).length === 1)
    return { text: output, failed: false };
  if (typeof error === 'string' && Object.keys(response).length === 1) return { text: error, failed: true };
  return { text: JSON.stringify(response), failed: error !== undefined };
}
