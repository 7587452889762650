import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { ConfirmRequest } from '../scheduler/call.js';

/**
 * Names what the user would agree to: the tool, its targets and the exact changes. What a command printed and where the question
 * stands in a queue are no part of it, so the same call asks the same question days later.
 */
export function questionDigest({ tool, details, reason }: ConfirmRequest): string {
  const { title: _title, ...shown } = details;
  const {
    output: _output,
    summary: _summary,
    modifiable: _modifiable,
    ...bound
  } = shown as typeof shown & {
    output?: unknown;
    summary?: unknown;
    modifiable?: unknown;
  };
  return sha256OfText(sortedJson({ tool, reason, ...bound }));
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
