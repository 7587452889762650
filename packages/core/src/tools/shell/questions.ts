import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import { headAndTail } from '@toolwright/machine/base/truncate.js';
import { type ChangeSet, summarize } from '@toolwright/machine/changes/change-set.js';
import type { Flag } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { historyLast, isGitHistory } from '@toolwright/machine/shell/models/git/history.js';
import type { ConfirmationDetails } from '../tools.js';
import { changesOf, withoutPaths } from './changes-of.js';
import type { CommandPlan } from './command-plan.js';
import type { LookedAt } from './look-at-command.js';
import { outsideWarnings } from './outside/words.js';
import type { ShellParams } from './parts.js';
import { beginningAndEnd, readOutput } from './report.js';

type ExecDetails = ConfirmationDetails & { kind: 'exec' };

const OUTPUT_BOUNDS = { maxBytes: 32 * 1024, maxLines: 1_000 };

interface Asking {
  /** What keeps its changes from being shown first. */
  why: string | null;
  show(path: string): string;
  home: string;
}

/** The question before a command runs. */
export function askBefore(params: ShellParams, looked: LookedAt, { why, show, home }: Asking): ExecDetails {
  const warnings = [...outsideWarnings(looked.outside.effects, home), ...warningsOf(looked.secrets, show)];
  if (why !== null) warnings.push(`Its changes can't be shown before they are made: ${why}`);
  if (params.is_background)
    warnings.push('It works in the workspace itself: what it changes can not be undone.');
  return {
    ...base(params, looked, looked.effects),
    confinement: looked.sandbox.sentence,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** The question after it ran apart: what it printed and what it would change. */
export function askAfter(
  params: ShellParams,
  looked: LookedAt,
  {
    plan: { run, mark, ignored, droppedForPerson },
    show,
  }: { plan: CommandPlan & { kind: 'staged' }; show(path: string): string },
): ExecDetails {
  const { planned, ended, flags, refused } = run;
  const isKept = ended.stopped === null;
  const effects = isKept ? changesOf(planned.changeSet, { ignored, flags }) : [];
  const shownIgnored = new Set([...ignored].map((path) => foreignName(show(path))));
  const files = planned.diff.files.filter(({ path }) => !shownIgnored.has(path));
  const { output } = readOutput(beginningAndEnd(ended.stdout, 8 * OUTPUT_BOUNDS.maxBytes), mark);
  return {
    ...base(params, looked, [...looked.effects.flatMap(staged), ...effects]),
    confinement: looked.sandbox.sentence,
    output: headAndTail(output, OUTPUT_BOUNDS, { keepErrors: true }).text,
    summary: `${isKept ? summaryOf(planned.changeSet, ignored) : 'keeps nothing, as it was stopped'}; ${params.network ? 'with network' : 'no network'}`,
    warnings: [...warningsOf([...flags, ...refused], show), ...droppedForPerson.map(asSentence)],
    diff: { kind: 'diff', files: isKept ? historyLast(files, ({ path }) => path) : [] },
  };
}

/** What git ignores is not asked about, only counted. */
function summaryOf(changeSet: ChangeSet, ignored: ReadonlySet<string>): string {
  const asked = summarize(withoutPaths(changeSet, ignored));
  const count = changeSet.changes.filter(({ path }) => ignored.has(path)).length;
  return count === 0 ? asked : `${asked}; and ${plural(count, 'file')} that git ignores`;
}

/** With a capital and a full stop. */
function asSentence(note: string): string {
  return `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`;
}

const MOST_NAMED = 8;
const MOST_OF_HISTORY = 2;

/** One line for each reason: a commit touches a dozen files for the same one. */
export function warningsOf(flags: readonly Flag[], show: (path: string) => string): string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, why } of flags)
    byReason.set(why, [...(byReason.get(why) ?? []), foreignName(show(path))]);
  return [...byReason].map(([why, paths]) => {
    const most = paths.every(isGitHistory) ? MOST_OF_HISTORY : MOST_NAMED;
    const more = paths.length > most ? ` and ${paths.length - most} more` : '';
    return `${paths.slice(0, most).join(', ')}${more}: ${why}`;
  });
}

function base(params: ShellParams, { directory }: LookedAt, effects: Effect[]): ExecDetails {
  const { command, description } = params;
  return {
    kind: 'exec',
    title: description ?? 'Run a command',
    command,
    directory,
    effects,
    modifiable: { command },
  };
}

function staged(effect: Effect): Effect[] {
  return effect.kind === 'execute' ? [{ ...effect, staged: true }] : [];
}
