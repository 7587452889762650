import { plural } from '@toolwright/machine/base/amounts.js';
import { jsonIn } from '@toolwright/machine/base/json.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { shellRule } from '../../permission/patterns.js';
import type { Verdict } from '../../permission/rules.js';
import { carryRules } from '../carry-rule.js';
import type { HomeFindings } from '../findings.js';

const RULE = /prefix_rule\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)/g;

const verdicts = new Map<string, Verdict>([
  ['allow', 'allow'],
  ['prompt', 'ask'],
  ['forbidden', 'deny'],
]);

/** Rules by the first words of a command. Anything else in such a file is told: it may have denied something. */
export async function readCodexRules(path: string, found: HomeFindings): Promise<void> {
  const text = plainCode((await readSmallFile(path).catch(() => null))?.toString('utf8') ?? '');
  for (const [whole, inside = ''] of text.matchAll(RULE)) readRule(inside, { path, whole, found });
  leaveRest(text, path, found);
}

/** The code without comments, with every text between double quotes. */
function plainCode(text: string): string {
  const parts = /"(?:[^"\\\n]|\\.)*"|'((?:[^'\\\n]|\\.)*)'|#[^\n]*/g;
  return text.replace(parts, (part, single?: string) => {
    if (part.startsWith('#')) return '';
    return single === undefined ? part : `"${single.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`;
  });
}

function readRule(
  inside: string,
  { path, whole, found }: { path: string; whole: string; found: HomeFindings },
): void {
  const isDecided = /\bdecision\s*=/.test(inside.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
  const decision = /\bdecision\s*=\s*"(\w+)"/.exec(inside)?.[1] ?? (isDecided ? '' : 'allow');
  const verdict = verdicts.get(decision);
  const commands = commandsOf(inside);
  if (verdict && commands.length > 0 && commands.length <= MOST_COMMANDS)
    carryRules(
      commands.map((words) => shellRule(words)),
      verdict,
      found,
    );
  else
    found.leave(
      `a rule of ${path}: ${whole.slice(0, 80)}`,
      commands.length > MOST_COMMANDS
        ? `its choices make ${commands.length} commands, more than ${MOST_COMMANDS}`
        : 'it could not be read',
    );
}

const MOST_TOLD = 20;

/** Code that is no rule by first words: each piece of it that begins at the beginning of a line. */
function leaveRest(text: string, path: string, found: HomeFindings): void {
  const rest = text.replace(RULE, (whole) => whole.replace(/[^\n]/g, ' '));
  const lines = rest.split('\n').flatMap((line, index) => {
    const isBegun = /^[^\s)\]}]/.test(line);
    return isBegun ? [{ number: index + 1, line: line.trim() }] : [];
  });
  const why = 'only prefix_rule(...) comes over; what this asks about or denies, write in permissions';
  for (const { number, line } of lines.slice(0, MOST_TOLD))
    found.leave(`${path}:${number}: ${line.slice(0, 80)}`, why);
  const others = lines.length - MOST_TOLD;
  if (others > 0) found.leave(`${plural(others, 'other line')} of ${path}`, why);
}

const MOST_COMMANDS = 50;
const WORD = /"((?:[^"\\]|\\.)*)"/g;
const PATTERN = /pattern\s*=\s*\[((?:[^[\]"]|"(?:[^"\\]|\\.)*"|\[(?:[^[\]"]|"(?:[^"\\]|\\.)*")*\])*)\]/;

/** A list within the pattern holds the choices for one word: each makes a command of its own. None where it can't be read. */
function commandsOf(rule: string): string[][] {
  const written = PATTERN.exec(rule)?.[1] ?? '';
  const places = [...written.matchAll(/\[([^\]]*)\]|"(?:[^"\\]|\\.)*"/g)].map(([one, choices]) =>
    [...(choices ?? one).matchAll(WORD)].map(([quoted, word = '']) => String(jsonIn(quoted) ?? word)),
  );
  if (places.length === 0) return [];
  const count = places.reduce((product, choices) => product * choices.length, 1);
  if (count > MOST_COMMANDS) return Array.from({ length: count }, () => []);
  return places.reduce<string[][]>(
    (begun, choices) => begun.flatMap((words) => choices.map((word) => [...words, word])),
    [[]],
  );
}
