import { canonical } from '@toolwright/machine/base/json.js';
import { planChanges } from '@toolwright/machine/changes/plan.js';
import type { RecordedCall } from '../recording/script.js';
import type { OtherCourse, OtherResult } from './report.js';

/** The differences that may exist between two runs that are the same in all that matters. */
const passing: readonly [RegExp, string][] = [
  [/\S*\/output\/[0-9a-z]{24}\/\S*/g, '<output>'],
  [/\b[0-9a-z]{9}[0-9a-z]{15}\b(?=\W|$)/g, '<id>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|seconds|minutes|min)\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/g, '<moment>'],
  [/\/proc\/\d+\/fd\/\d+/g, '<descriptor>'],
];

/** A text without the times, ids and places that each run has of its own. */
function withoutPassing(text: string): string {
  return passing.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
}

/** The words that the model got as response to a call. */
function responseText({ end }: RecordedCall): string {
  if (!end) return '';
  const { response = {}, parts = [] } = end.response;
  const { output, error, ...rest } = response;
  const said = [output, error].filter((each) => each !== undefined).map(String);
  const more = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const media = parts.map(({ inlineData }) => `[${inlineData?.mimeType ?? 'data'}]`);
  return [...said, ...more, ...media].join('\n');
}

/** Calls of both sessions in pairs: by the id that the model gave them, then in their order. */
export function pairCalls(
  earlier: readonly RecordedCall[],
  now: readonly RecordedCall[],
): { pairs: [RecordedCall, RecordedCall][]; missing: RecordedCall[]; further: RecordedCall[] } {
  const left = [...now];
  const pairs: [RecordedCall, RecordedCall][] = [];
  const missing: RecordedCall[] = [];
  for (const call of earlier) {
    const at = left.findIndex((each) => isSame(call, each));
    if (at === -1) missing.push(call);
    else pairs.push([call, left.splice(at, 1)[0]!]);
  }
  return { pairs, missing, further: left };
}

function isSame(then: RecordedCall, now: RecordedCall): boolean {
  const [left, right] = [then.end?.response.id, now.end?.response.id];
  if (then.start.tool !== now.start.tool) return false;
  if (!then.end) return sameArguments(then, now);
  // Without an id of the model's own a call is known by what it asks for.
  return left === right || (left === then.start.callId && sameArguments(then, now));
}

function sameArguments(then: RecordedCall, now: RecordedCall): boolean {
  return JSON.stringify(canonical(then.start.args)) === JSON.stringify(canonical(now.start.args));
}

/** Results that differ in more than what passes. */
export async function otherResults(
  pairs: readonly (readonly [RecordedCall, RecordedCall])[],
): Promise<OtherResult[]> {
  const found: OtherResult[] = [];
  for (const [then, now] of pairs) {
    if (!then.end) continue;
    const [before, after] = [responseText(then), responseText(now)].map(withoutPassing) as [string, string];
    if (before === after) continue;
    const { tool, args } = then.start;
    const diff = await textDiff(before, after);
    found.push({ kind: 'result', number: then.number, tool, args, earlier: before, now: after, diff });
  }
  return found;
}

export function otherCourse(
  missing: readonly RecordedCall[],
  further: readonly RecordedCall[],
): OtherCourse[] {
  const differences = (calls: readonly RecordedCall[], words: string): OtherCourse[] =>
    calls.map(({ number, start }) => ({
      kind: 'course',
      message: `Call ${number}, ${start.tool}, ${words}.`,
    }));
  return [
    ...differences(missing, 'was made then and not now'),
    ...differences(further, 'was made now and not then'),
  ];
}

/** Unified diff of two texts, without the names of files. */
export async function textDiff(before: string, after: string): Promise<string> {
  const { diff } = await planChanges({
    id: 'difference',
    files: [
      {
        path: '/text',
        before: { bytes: Buffer.from(`${before}\n`) },
        after: { bytes: Buffer.from(`${after}\n`) },
      },
    ],
    show: () => 'text',
  });
  const unified = diff.files[0]?.unified ?? '';
  return unified.replace(/^(?:---|\+\+\+) .*\n/gm, '');
}
