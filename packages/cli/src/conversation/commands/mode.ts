import { type Agent, type ApprovalMode, approvalModes } from '@toolwright/core';
import { didYouMean, nearest } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe } from '../../app/safe-text.js';
import type { Front } from '../../ui/front.js';
import type { SlashContext } from '../slash-context.js';

const meanings: Record<ApprovalMode, string> = {
  plan: 'look only: nothing is changed',
  default: 'ask before changes',
  'auto-edit': 'change files in this folder without asking',
  yolo: 'never ask; deny rules still hold',
};

const APART = 'apart';

/** `/mode`, `/mode NAME`: what is asked about from now on. */
export async function mode(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const { agent, front, signal } = context;
  const named = approvalModes.find((each) => each === rest.toLowerCase());
  if (rest !== '' && !named)
    return [
      textItem(
        `There is no mode ${rest}. ${didYouMean(nearest(rest, approvalModes)) || `The modes are ${approvalModes.join(', ')}.`}`,
        'warning',
      ),
    ];
  if (named) return setMode(context, named);
  const isApart = agent.apart.id !== null;
  const picked = await front.pick(
    {
      title: safe('What do you want to be asked about?'),
      items: [
        ...approvalModes.map((each) => ({
          id: each,
          label: safe(each),
          detail: safe(meanings[each]),
          isCurrent: agent.permission.mode === each,
        })),
        {
          id: APART,
          label: safe(APART),
          detail: safe(
            isApart
              ? 'this conversation already works apart'
              : 'beside the mode: work apart, review once at the end',
          ),
          isCurrent: isApart,
        },
      ],
      typed: 'filter',
      start: agent.permission.mode,
    },
    { signal },
  );
  if (!picked) return [];
  if (picked.id !== APART) return setMode(context, picked.id as ApprovalMode);
  if (isApart) return [textItem('This conversation already works apart. /review shows the changes.')];
  return (await import('../apart.js')).beginApart(context);
}

function setMode({ agent }: SlashContext, chosen: ApprovalMode): ReportItem[] {
  agent.permission.mode = chosen;
  return [textItem(`Approval mode ${chosen}: ${meanings[chosen]}.`, chosen === 'yolo' ? 'warning' : 'good')];
}

/** Shift+Tab: plan, default, auto-edit, yolo, and round again. */
export function nextMode(front: Pick<Front, 'dispatch'>, { permission }: Pick<Agent, 'permission'>): void {
  const next = approvalModes[(approvalModes.indexOf(permission.mode) + 1) % approvalModes.length];
  if (!next) return;
  permission.mode = next;
  front.dispatch({ type: 'status-changed', status: { mode: next } });
  front.dispatch({ type: 'hinted', hint: `Approval mode ${next}: ${meanings[next]}.` });
}
