import { execFileSync } from 'node:child_process';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isToolError, type ToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { expect, test } from 'vitest';
import { historiesIn, type Revision } from './fixtures/histories.js';
import { casesOf, type EditCase, hunksOf } from './fixtures/real-edits.js';
import { createTextTools, type TextTools } from './fixtures/text-tools.js';
import { planReplacement } from './replacement.js';
import type { ExistingTarget } from './text-plan.js';

/** TOOLWRIGHT_HISTORIES=FOLDER: repositories and folders of versions to take edits from, besides this repository. */
const folders = [
  execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim(),
  ...(process.env['TOOLWRIGHT_HISTORIES']?.split(':') ?? []),
];
const MOST_EDITS = Number(process.env['TOOLWRIGHT_EDITS'] ?? 3_000);
/** A file that was rewritten is one change of many hunks; a few of them stand for the rest. */
const MOST_OF_ONE = 8;

type Verdict =
  | 'exact'
  | 'as sent'
  | 'made before'
  | 'several places'
  | 'not found'
  | 'other refusal'
  | 'wrong';
const verdicts: Verdict[] = [
  'exact',
  'as sent',
  'made before',
  'several places',
  'not found',
  'other refusal',
  'wrong',
];

test('edits that people made give the file that they made of it, or are refused for a right reason', async () => {
  const tools = createTextTools();
  const counts = new Map<string, Map<Verdict, number>>();
  const wrong: string[] = [];
  let hunks = 0;
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (const { name, revisions } of folders.flatMap(historiesIn)) {
    let taken = 0;
    for await (const revision of revisions) {
      for (const hunk of pick(await hunksOf(revision, 1 + (hunks % 3)), revision)) {
        taken++;
        hunks++;
        for (const edit of casesOf(hunk, random)) {
          const { verdict, result } = await judge(edit, tools);
          const row = counts.get(edit.fault) ?? new Map<Verdict, number>();
          counts.set(edit.fault, row.set(verdict, (row.get(verdict) ?? 0) + 1));
          if (verdict === 'wrong') wrong.push(`${name} ${hunk.name}: ${shown(edit, result)}`);
        }
      }
      if (taken >= MOST_EDITS) break;
    }
    console.log(`${name}: ${taken} edits`);
  }
  await tools.cleanup();
  console.log(table(counts, hunks));
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(hunks).toBeGreaterThan(100);
}, 7_200_000);

function pick<Item>(items: Item[], { name }: Revision): Item[] {
  const order = items.map((item, index) => ({ item, key: sha256OfText(`${name} ${index}`) }));
  return order
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, MOST_OF_ONE)
    .map(({ item }) => item);
}

async function judge(edit: EditCase, tools: TextTools): Promise<{ verdict: Verdict; result: string }> {
  const { oldText, newText, text } = edit;
  try {
    const replacement = { oldText, newText, replaceAll: false, expected: undefined, madeBefore: false };
    const parts = { host: tools, commit: async () => '' };
    const plan = await planReplacement(await targetOf(text), replacement, parts);
    const result = Buffer.from(plan.bytes).toString();
    return { verdict: verdictOf(edit, result), result };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { verdict: refusalOf(edit, error), result: error.message };
  }
}

function verdictOf(edit: EditCase, result: string): Verdict {
  const { wanted, text, fault } = edit;
  if (wanted === null) return result === text && fault === 'made before' ? 'made before' : 'wrong';
  if (result === wanted) return 'exact';
  return edit.asSent !== undefined && isAsSent(result, edit) ? 'as sent' : 'wrong';
}

/** A call without a fault is refused only where its text really stands at several places. */
function refusalOf({ fault, text, oldText }: EditCase, { code, message }: ToolError): Verdict {
  const isRight = fault === 'none' || fault === 'deletion';
  const places = text.replaceAll('\r\n', '\n').split(oldText).length - 1;
  if (/matches \d+ places/.test(message)) return isRight && places < 2 ? 'wrong' : 'several places';
  if (isRight) return 'wrong';
  return code === 'not_found' ? 'not found' : 'other refusal';
}

async function targetOf(text: string): Promise<ExistingTarget> {
  const bytes = Buffer.from(text);
  const decoded = (await decodeText(bytes))!;
  const path = '/work/file';
  return {
    path,
    realPath: path,
    shown: 'file',
    file: { bytes, hash: '', mode: 0o644, decoded },
    inPlace: null,
  };
}

/**
 * Each line as the author or the call has it, or as the file had it where the call reads it the same; in a changed
 * line each character as one of them has it.
 */
function isAsSent(result: string, { wanted, asSent, text }: EditCase): boolean {
  const [lines, real, sent] = [result, wanted!, asSent!.text].map((whole) => whole.split('\n'));
  if (lines!.length !== real!.length || lines!.length !== sent!.length) return false;
  const before = new Set(text.split('\n'));
  return lines!.every((line, index) => {
    const [one, other] = [real![index]!, sent![index]!];
    if (line === one || line === other) return true;
    if (before.has(line) && asSent!.read(line) === other) return true;
    const isMixed = line.length === one.length && line.length === other.length;
    return isMixed && [...line].every((sign, at) => sign === one[at] || sign === other[at]);
  });
}

/** The call, and where the result goes another way than it should. */
function shown({ fault, oldText, newText, wanted, text }: EditCase, result: string): string {
  const expected = wanted ?? text;
  let at = 0;
  while (at < expected.length && expected[at] === result[at]) at++;
  const near = (whole: string) => whole.slice(Math.max(0, at - 60), at + 60);
  const [old, young] = [oldText, newText].map((part) => part.slice(0, 600));
  return JSON.stringify({ fault, old, young, expected: near(expected), found: near(result) });
}

function table(counts: Map<string, Map<Verdict, number>>, hunks: number): string {
  const line = (cells: (string | number)[]) =>
    cells.map((cell, index) => (index === 0 ? String(cell).padEnd(26) : String(cell).padStart(14))).join(' ');
  const rows = [...counts].map(([fault, row]) =>
    line([fault, ...verdicts.map((verdict) => row.get(verdict) ?? 0)]),
  );
  const all = [...counts.values()].flatMap((row) => [...row.values()]).reduce((sum, count) => sum + count, 0);
  return [
    `${hunks} edits that people made, ${all} calls`,
    line(['fault of the call', ...verdicts]),
    ...rows,
  ].join('\n');
}
