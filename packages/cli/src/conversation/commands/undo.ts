import type { PastChange } from '@toolwright/core';
import { plural, summarize } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeDiff, safeLine } from '../../app/safe-text.js';
import { ageOf } from '../../base/age.js';
import type { SlashContext } from '../slash-context.js';

const MOST = 100;

/** `/undo`: a picker of changes, each with the diff of its undo. */
export async function undoPicker(context: SlashContext): Promise<{ report: ReportItem[]; paths: string[] }> {
  const { agent, front, signal } = context;
  const { changesHere, undoChange } = await import('../../actions/undo.js');
  const changes = (await changesHere(agent, signal)).toReversed().slice(0, MOST);
  const picked = await front.pick(
    {
      title: safe('Undo which change?'),
      items: changes.map((change) => itemOf(change, agent.host.workspace.show)),
      empty: safe('Nothing has been changed in this folder yet.'),
      start: changes.find(({ undoes, undoneBy }) => !undoes && !undoneBy)?.changeSet.id ?? '',
      typed: 'filter',
      verb: safe('undoes it'),
    },
    {
      signal,
      preview: async (id, inner) => {
        const change = changes.find(({ changeSet }) => changeSet.id === id);
        const plan = change && (await agent.planUndo(change, inner));
        if (plan?.kind === 'nothing') return { lines: [safe('Its files are as they were before it.')] };
        if (plan?.kind === 'refused') return { lines: [safeLine(plan.reason)], diff: safeDiff(plan.diff) };
        return plan ? { diff: safeDiff(plan.planned.diff) } : null;
      },
    },
  );
  const chosen = changes.find(({ changeSet }) => changeSet.id === picked?.id);
  if (!chosen) return { report: [], paths: [] };
  return undoChange(agent, chosen, { prefix: '/', signal });
}

function itemOf(change: PastChange, show: (path: string) => string) {
  const { changeSet, at, call, by, undoes, undoneBy } = change;
  const [first] = changeSet.changes;
  const names = first ? show(first.path) : '';
  const more = changeSet.changes.length > 1 ? ` and ${changeSet.changes.length - 1} more` : '';
  const who = undoes ? 'an undo' : (call?.command ?? call?.tool ?? by ?? '');
  const facts = [
    ageOf(Date.parse(at), Date.now()),
    summarize(changeSet),
    who,
    ...(undoneBy ? ['undone'] : []),
  ];
  return {
    id: changeSet.id,
    label: safeLine(`${names}${more}` || summarize(changeSet)),
    detail: safeLine(facts.filter(Boolean).join(', ')),
  };
}

/** `/diff`: the files that this conversation changed, as they were before it and as they are now. */
export async function diff({ agent, signal }: SlashContext): Promise<ReportItem[]> {
  if (agent.apart.id !== null)
    return [textItem('This conversation works apart: /review shows its changes.', 'warning')];
  const { changesHere } = await import('../../actions/undo.js');
  const mine = (await changesHere(agent, signal)).filter(({ sessionId }) => sessionId === agent.session.id);
  const changes = await agent.changes.diffOver(
    mine.map(({ changeSet }) => changeSet),
    signal,
  );
  if (changes.files.length === 0) return [textItem('Nothing that this conversation changed is left.')];
  return [
    { kind: 'diff', diff: changes, tone: 'plain' },
    textItem(`${plural(changes.files.length, 'file')}. /undo takes one change back, /rewind several.`),
  ];
}
