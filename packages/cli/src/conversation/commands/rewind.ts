import type { PastChange } from '@toolwright/core';
import { entriesOf, plural } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { inputOf } from '../../app/input-line.js';
import { safe, safeLine } from '../../app/safe-text.js';
import { ageOf } from '../../base/age.js';
import type { SlashContext } from '../slash-context.js';
import { changesSince, type RewindPoint, rewindPoints } from './rewind-points.js';

/** `/rewind`: back to the moment before an earlier prompt. */
export async function rewind(context: SlashContext): Promise<ReportItem[]> {
  const { agent, signal } = context;
  if (agent.messages.length === 0)
    return [textItem('Nothing has been said yet, so there is nothing to go back to.')];
  const { changesHere } = await import('../../actions/undo.js');
  const entries = await entriesOf({ path: agent.session.journalPath }, signal);
  const points = rewindPoints(agent.messages, entries);
  const all = await changesHere(agent, signal);
  const point = await choosePoint(context, points, all);
  if (!point) return [];
  const since = changesSince(point, all);
  const how = await chooseHow(context, point, since);
  if (!how) return [];
  return goBack(context, { point, since, how });
}

async function choosePoint(
  { agent, front, signal }: SlashContext,
  points: readonly RewindPoint[],
  all: readonly PastChange[],
): Promise<RewindPoint | undefined> {
  const now = Date.now();
  const picked = await front.pick(
    {
      title: safe('Go back to just before which prompt?'),
      items: points.toReversed().map((point) => {
        const changes = changesSince(point, all).length;
        const facts = [
          ...(point.at === '' ? [] : [ageOf(Date.parse(point.at), now)]),
          changes === 0 ? 'no changes since' : `${plural(changes, 'change')} since`,
        ];
        return { id: String(point.index), label: safeLine(point.text), detail: safe(facts.join(', ')) };
      }),
      typed: 'filter',
    },
    {
      signal,
      preview: async (id) => {
        const point = points.find(({ index }) => String(index) === id);
        const files = point ? changesSince(point, all).flatMap(({ changeSet }) => changeSet.changes) : [];
        return {
          lines: [...new Set(files.map(({ path }) => agent.host.workspace.show(path)))].map(safeLine),
        };
      },
    },
  );
  return picked ? points.find(({ index }) => String(index) === picked.id) : undefined;
}

type How = 'both' | 'conversation' | 'files' | 'fork';

async function chooseHow(
  { front, signal }: SlashContext,
  { text }: RewindPoint,
  since: readonly PastChange[],
): Promise<How | undefined> {
  const count = plural(since.length, 'change');
  const picked = await front.pick(
    {
      title: safeLine(`Back to just before: ${text}`),
      items: [
        ...(since.length > 0
          ? [{ id: 'both', label: safe('Conversation and files'), detail: safe(`${count} undone`) }]
          : []),
        {
          id: 'conversation',
          label: safe('The conversation only'),
          detail: safe('files are left unchanged'),
        },
        ...(since.length > 0
          ? [
              {
                id: 'files',
                label: safe('The files only'),
                detail: safe(`${count} undone, the conversation stays`),
              },
            ]
          : []),
        {
          id: 'fork',
          label: safe('Fork'),
          detail: safe('start a new conversation from there and keep this one'),
        },
      ],
      typed: 'filter',
    },
    { signal },
  );
  return picked?.id as How | undefined;
}

async function goBack(
  context: SlashContext,
  { point, since, how }: { point: RewindPoint; since: readonly PastChange[]; how: How },
): Promise<ReportItem[]> {
  const { agent, front, reopen } = context;
  const report: ReportItem[] = [];
  if (how === 'both' || how === 'files') {
    const undone = await undoAll(context, since);
    report.push(...undone.report);
    // The conversation must not forget changes that are still there.
    if (!undone.isWhole) return report;
  }
  if (how === 'files') {
    context.tellModel('The user has taken back the changes to files that were made since an earlier prompt.');
    return report;
  }
  const line = { type: 'line-replaced' as const, input: inputOf(point.text) };
  if (how === 'fork') {
    reopen({ session: 'new', startWith: agent.messages.slice(0, point.index) });
    front.dispatch(line);
    return [
      textItem(
        `A new conversation continues from there. The previous one: /resume ${agent.session.id}`,
        'good',
      ),
    ];
  }
  await agent.rewind(point.index);
  front.dispatch(line);
  return [
    ...report,
    textItem('The conversation is as it was before that prompt, which is back in the line.', 'good'),
  ];
}

async function undoAll(
  { agent, signal }: SlashContext,
  since: readonly PastChange[],
): Promise<{ report: ReportItem[]; isWhole: boolean }> {
  const { undoChange } = await import('../../actions/undo.js');
  let count = 0;
  for (const change of since) {
    const { state, report } = await undoChange(agent, change, { prefix: '/', signal });
    if (state === 'refused') {
      const far =
        count === 0 ? [] : [textItem(`${plural(count, 'later change')} undone before that.`, 'warning')];
      return { report: [...report, ...far], isWhole: false };
    }
    count += 1;
  }
  return { report: [textItem(`${plural(count, 'change')} undone.`, 'good')], isWhole: true };
}
