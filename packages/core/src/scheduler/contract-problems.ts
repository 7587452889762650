import type { FileDiff } from '@toolwright/machine/base/content.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { ConfirmRequest, Outcome } from './call.js';

/** Members that confirmation details of each kind need, beside title and effects. */
const membersOf: Record<string, readonly string[]> = {
  edit: ['diff'],
  exec: ['command', 'directory'],
  mcp: ['server', 'tool', 'arguments'],
  info: ['prompt', 'urls'],
};

/** Null when a tool answered with confirmation details or with false; else what is wrong with its answer. */
export function detailsProblem(value: unknown): string | null {
  if (value === false) return null;
  if (!isJsonObject(value))
    return `it asked with ${value === null ? 'null' : typeof value} in place of details`;
  const { kind, title, effects } = value;
  const members = typeof kind === 'string' && Object.hasOwn(membersOf, kind) ? membersOf[kind] : undefined;
  if (!members)
    return `its confirmation details have the kind ${JSON.stringify(kind)}; there are ${Object.keys(membersOf).join(', ')}`;
  if (typeof title !== 'string') return 'its confirmation details have no title';
  if (!Array.isArray(effects) || !effects.every(isJsonObject))
    return 'its confirmation details have no list of effects';
  const missing = members.find((member) => value[member] === undefined);
  return missing === undefined ? null : `its confirmation details have no ${missing}`;
}

const outcomeKinds: readonly unknown[] = ['once', 'always', 'modify', 'cancel'] satisfies Outcome['kind'][];

/** Null when `confirm` gave an answer that fits its question; else what is wrong with it. */
export function outcomeProblem(value: unknown, { tool, offers, modifiable }: ConfirmRequest): string | null {
  if (!isJsonObject(value)) return `${value === null ? 'null' : typeof value} in place of { kind: … }`;
  const { kind, rule, scope, written } = value;
  if (!outcomeKinds.includes(kind))
    return `the kind ${JSON.stringify(kind)}; there are ${outcomeKinds.join(', ')}`;
  if (kind === 'always' && !offers.some((offer) => offer.rule === rule))
    return `the rule ${String(rule)} was not offered`;
  if (kind === 'always' && scope !== 'session' && scope !== 'saved')
    return `the scope ${JSON.stringify(scope)}; there are session and saved`;
  if (kind === 'modify' && !modifiable) return `${tool} can't be modified`;
  if (kind === 'modify' && typeof written !== 'string') return 'modify without a text as written';
  return null;
}

/** Null when a tool gave a result that fits the contract; else what is wrong with it. */
export function resultProblem(value: unknown): string | null {
  if (!isJsonObject(value))
    return `it returned ${value === null ? 'null' : typeof value} instead of a result`;
  if (!isContent(value['llmContent'])) return 'its llmContent is neither text nor parts';
  const display = value['returnDisplay'];
  if (typeof display !== 'string' && !isDiff(display)) return 'its returnDisplay is neither text nor a diff';
  const error = value['error'];
  if (
    error !== undefined &&
    !(isJsonObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string')
  ) {
    return 'its error has no code and message';
  }
  return null;
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPart) : isPart(value);
}

function isPart(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!isJsonObject(value)) return false;
  const { text, inlineData } = value;
  return (
    (text === undefined || typeof text === 'string') && (inlineData === undefined || isJsonObject(inlineData))
  );
}

function isDiff(value: unknown): value is FileDiff {
  return (
    isJsonObject(value) &&
    value['kind'] === 'diff' &&
    Array.isArray(value['files']) &&
    value['files'].every(
      (file) => isJsonObject(file) && typeof file['unified'] === 'string' && typeof file['path'] === 'string',
    )
  );
}
