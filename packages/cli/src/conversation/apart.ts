import type { Agent } from '@toolwright/core';
import { deadlineIn } from '@toolwright/core/front-end';
import { type Prefix, type ReportItem, textItem } from '../actions/report.js';
import { waitingAtEnd } from '../actions/waiting-apart.js';
import { describeKept } from '../actions/waiting-changes.js';
import type { Ask } from '../app/question.js';
import { UsageError } from '../base/exit-codes.js';
import { say } from './say.js';
import type { SlashContext } from './slash-context.js';

/** A plain copy of a large workspace takes minutes. */
const BEGIN_LIMIT_MS = 600_000;

/** `/apart`: from now on the conversation works apart. */
export async function beginApart({
  agent,
  front,
  signal,
}: Pick<SlashContext, 'agent' | 'front' | 'signal'>): Promise<ReportItem[]> {
  try {
    const tell = (sentence: string): void => say(front, sentence, 'warning');
    await agent.apart.begin({ say: tell }, AbortSignal.any([signal, deadlineIn(BEGIN_LIMIT_MS)]));
  } catch (error) {
    if (error instanceof Error && error.name === 'SettingsError') throw new UsageError(error.message);
    throw error;
  }
  const servers = agent.mcp ? ' MCP servers start again when they are needed.' : '';
  return [textItem(`${APART_FROM_HERE}${servers}`, 'good')];
}

const APART_FROM_HERE =
  'From here on this conversation works apart: nothing it does to files reaches the workspace before you keep it. /review shows the changes.';

export interface ReviewHere {
  agent: Agent;
  ask: Ask;
  signal: AbortSignal;
  /** The words for leaving the changes where they are. */
  leave: string;
  /** The prefix of the command that takes kept changes back. */
  prefix: Prefix;
  tellModel(text: string): void;
}

/** `/review`, and the end of a conversation: asks what becomes of the changes that wait, and does it. */
export async function reviewHere({
  agent,
  ask,
  signal,
  leave,
  prefix,
  tellModel,
}: ReviewHere): Promise<ReportItem[]> {
  const { apart } = agent;
  const { show } = agent.host.workspace;
  if (apart.id === null)
    throw new UsageError(
      'This conversation does not work apart, so there is nothing to review. /apart starts that.',
    );
  const { review, refused, hunks } = await apart.review(signal);
  const unkeepable = refused.map(({ path, why }) =>
    textItem(`Can't be kept: ${show(path)}: ${why}`, 'warning'),
  );
  if (review.items.length === 0) return [...unkeepable, textItem('No changes are waiting for a review.')];
  const jobs = await runningJobs(agent);
  const { askReviewOrDrop } = await import('../ask/review.js');
  const choice = await askReviewOrDrop(review, {
    title: 'Keep what this session changed?',
    facts: jobs.map(({ id, command }) => `${id} (${command}) is still running. ${STOPPED_FIRST}`),
    leave,
    drop: 'drop all changes for good',
    show,
    hunks,
    ask,
    signal,
  });
  if (choice !== 'all' && choice !== 'drop' && choice.size === 0)
    return [...unkeepable, stillWaiting(review.summary)];
  for (const { id } of jobs) await agent.commands.shell.jobs.stop(id, { kind: 'user', message: 'by you' });
  const stopped = jobs.map(({ id }) => textItem(`${id} was stopped.`));
  if (choice !== 'drop') {
    const kept = await apart.keep({ digest: review.digest, choice }, signal);
    const said = describeKept(kept, { show, prefix }).map(({ text, tone }) => textItem(text, tone));
    return [...unkeepable, ...stopped, ...said, ...(await restOf(agent))];
  }
  await apart.drop('all', signal);
  tellModel('The user has dropped all changes of this session; the files are as they were before it.');
  return [...stopped, textItem('All changes were dropped.', 'good')];
}

const STOPPED_FIRST = 'It is stopped before something is kept or dropped.';

async function runningJobs({ commands }: Agent) {
  return (await commands.shell.jobs.list()).filter(({ status }) => status.kind !== 'ended');
}

async function restOf(agent: Agent): Promise<ReportItem[]> {
  const rest = await waitingAtEnd(agent);
  return rest ? [stillWaiting(rest.summary)] : [];
}

function stillWaiting(summary: string): ReportItem {
  return textItem(`Still waiting apart: ${summary}.`);
}
