import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { asSentence, foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import { headAndTail } from '@toolwright/machine/base/truncate.js';
import { type ChangeSet, summarize } from '@toolwright/machine/changes/change-set.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { historyLast } from '@toolwright/machine/shell/models/git/history.js';
import type { ConfirmationDetails } from '../tools.js';
import type { ShellCall } from './call.js';
import { changesOf, withoutPaths } from './changes-of.js';
import type { CommandPlan } from './command-plan.js';
import { outsideWarnings } from './outside/words.js';
import { flaggedFirst, warningsOf } from './path-warnings.js';
import { beginningAndEnd, readOutput } from './report.js';

type ExecDetails = ConfirmationDetails & { kind: 'exec' };

const OUTPUT_BOUNDS = { maxBytes: 32 * 1024, maxLines: 1_000 };

/** The question before a command runs. */
export function askBefore(call: ShellCall): ExecDetails {
  const { facts, route, needs, host } = call;
  const home = homeDirectory(needs.environment);
  const warnings = [
    ...outsideWarnings(facts.outside.effects, home),
    ...warningsOf(facts.secrets, host.workspace.show),
  ];
  if (route.kind === 'ask-first' && route.runs === 'in-workspace')
    warnings.push(`Its changes can't be shown before they are made: ${route.why}`);
  if (route.kind === 'job')
    warnings.push("It works in the workspace itself: what it changes can't be undone.");
  return {
    ...base(call, facts.effects),
    confinement: facts.sandbox.sentence,
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

/** The question after a command ran on a copy: what it printed and what it would change. */
export function askAfter(call: ShellCall, plan: CommandPlan & { kind: 'staged' }): ExecDetails {
  const { facts, host } = call;
  const { run, mark, ignored, droppedForUser } = plan;
  const { show } = host.workspace;
  const { planned, ended, flags, refused } = run;
  const isKept = ended.stopped === null;
  const effects = isKept ? changesOf(planned.changeSet, { ignored, flags }) : [];
  const shownIgnored = new Set([...ignored].map((path) => foreignName(show(path))));
  const shown = planned.diff.files.filter(({ path }) => !shownIgnored.has(path));
  const files = flaggedFirst(shown, flags, show);
  const { output } = readOutput(beginningAndEnd(ended.stdout, 8 * OUTPUT_BOUNDS.maxBytes), mark);
  const folders = planned.changeSet.removedDirectories.filter(({ path }) => !ignored.has(path));
  return {
    ...base(call, [...facts.effects.flatMap(staged), ...effects]),
    confinement: facts.sandbox.sentence,
    output: headAndTail(output, OUTPUT_BOUNDS, { keepErrors: true }).text,
    summary: isKept ? summaryOf(planned.changeSet, ignored) : 'nothing kept, because it was stopped',
    deletedFolders: isKept && folders.length > 0 ? folders.map(({ path }) => show(path)) : undefined,
    warnings: [...warningsOf([...flags, ...refused], show), ...droppedForUser.map(asSentence)],
    diff: { kind: 'diff', files: isKept ? historyLast(files, ({ path }) => path) : [] },
  };
}

/** Files that git ignores are not asked about, only counted. */
function summaryOf(changeSet: ChangeSet, ignored: ReadonlySet<string>): string {
  const asked = summarize(withoutPaths(changeSet, ignored));
  const count = changeSet.changes.filter(({ path }) => ignored.has(path)).length;
  return count === 0 ? asked : `${asked}, and ${plural(count, 'file')} that git ignores`;
}

function base({ params, facts }: ShellCall, effects: Effect[]): ExecDetails {
  const { command, description } = params;
  const { directory } = facts;
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
