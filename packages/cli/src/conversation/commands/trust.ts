import { createClock, deadlineIn, openTrustStore } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { trustQuestion } from '../../app/asking/trust-question.js';
import { yesNoQuestion } from '../../app/yes-no.js';
import type { SlashContext } from '../slash-context.js';

const LIMIT_MS = 20_000;

/** `/trust`: the folder's own files count from now on, where the user says so. */
export async function trust({ agent, setup, ask, signal, reopen }: SlashContext): Promise<ReportItem[]> {
  if (setup.trusted) return [textItem('This folder is already trusted.')];
  const question =
    trustQuestion({ ...setup.trust, state: 'unknown' }) ??
    yesNoQuestion({
      title: 'Trust this folder?',
      facts: [
        'Its context files (AGENTS.md) become instructions to the model, and language servers and formatters that are installed in it may be started. It has no settings, tools or servers of its own.',
      ],
      yes: 'yes, use them from now on',
      no: 'no, treat them as data only',
    });
  const reply = await ask(question, signal);
  if (reply?.key !== 'y') return [textItem('The folder remains untrusted.')];
  const store = openTrustStore(agent.state, { clock: createClock() });
  await store.trustFolder(setup.trust.examination, deadlineIn(LIMIT_MS, signal));
  reopen({ session: 'same' });
  return [
    textItem(
      'This folder is trusted, and its files are in effect from now on. toolwright trust --remove undoes this.',
      'good',
    ),
  ];
}
