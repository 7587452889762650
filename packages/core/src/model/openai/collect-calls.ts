import { isJsonObject, type JsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';
import type { AnswerDraft, ArrivingCall } from '../wire/answer.js';
import { tagSignature } from '../wire/signatures.js';

export interface CallCollector {
  /** Takes the calls, or fragments of calls, of one delta. */
  read(message: JsonObject): void;
  isBegun(message: JsonObject): boolean;
}

interface Fragment {
  index: unknown;
  id: string;
  name: string;
  arguments: string | Record<string, unknown>;
  signature?: string;
}

/**
 * Puts calls together from fragments. Servers differ: the index may be missing or always 0, id and name may
 * come once or with every fragment, arguments in pieces, whole, as an object, or whole once more at the end.
 */
export function createCallCollector(answer: AnswerDraft): CallCollector {
  const byIndex = new Map<unknown, ArrivingCall>();
  let last: ArrivingCall | null = null;

  const take = (fragment: Fragment, touched: ReadonlySet<ArrivingCall>): ArrivingCall => {
    const known = fragment.index === undefined ? last : byIndex.get(fragment.index);
    if (!known || startsAnother(known, fragment, touched.has(known))) {
      const { index, ...call } = fragment;
      const opened = answer.openCall(call);
      if (index !== undefined) byIndex.set(index, opened);
      return opened;
    }
    if (known.id === '') known.id = fragment.id;
    if (fragment.name !== '' && fragment.name !== known.name) known.name += fragment.name;
    known.arguments = joined(known.arguments, fragment.arguments);
    if (fragment.signature !== undefined) known.signature = fragment.signature;
    return known;
  };

  return {
    read: (message) => {
      const touched = new Set<ArrivingCall>();
      for (const fragment of fragmentsOf(message)) {
        last = take(fragment, touched);
        touched.add(last);
      }
    },
    isBegun: (message) => fragmentsOf(message).length > 0,
  };
}

function startsAnother(known: ArrivingCall, fragment: Fragment, sameDelta: boolean): boolean {
  if (fragment.name === '') return false;
  if (sameDelta) return true;
  if (fragment.id !== '' && known.id !== '' && fragment.id !== known.id) return true;
  const repeats = fragment.name === known.name;
  if (isWhole(known.arguments)) {
    return fragment.arguments !== '' && !(repeats && fragment.arguments === known.arguments);
  }
  // Only a server that counts its calls may send a name in pieces.
  return !repeats && (fragment.index === undefined || known.arguments !== '');
}

function isWhole(given: ArrivingCall['arguments']): boolean {
  return typeof given !== 'string' || jsonObjectIn(given) !== null;
}

function joined(before: ArrivingCall['arguments'], added: Fragment['arguments']): ArrivingCall['arguments'] {
  if (typeof added !== 'string') return Object.keys(added).length > 0 ? added : before;
  if (typeof before !== 'string') return before;
  return before !== '' && added === before && jsonObjectIn(before) ? before : before + added;
}

function fragmentsOf(message: JsonObject): Fragment[] {
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  const fragments = calls.flatMap((call) => (isJsonObject(call) ? [fragmentOf(call)] : []));
  // The form before `tool_calls`, still spoken by some servers.
  const old = message['function_call'];
  if (fragments.length === 0 && isJsonObject(old)) fragments.push(fragmentOf({ index: 0, function: old }));
  return fragments;
}

function fragmentOf(call: JsonObject): Fragment {
  const inner = isJsonObject(call['function']) ? call['function'] : {};
  const given = inner['arguments'];
  const extra = call['extra_content'];
  return {
    index: call['index'] ?? undefined,
    id: typeof call['id'] === 'string' ? call['id'] : '',
    name: typeof inner['name'] === 'string' ? inner['name'] : '',
    arguments: typeof given === 'string' || isJsonObject(given) ? given : '',
    signature: isJsonObject(extra) ? tagSignature('extra', JSON.stringify(extra)) : undefined,
  };
}
