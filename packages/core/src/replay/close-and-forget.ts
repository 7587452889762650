import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Agent } from '../create-agent.js';
import { deleteSession } from '../session/session-list.js';

const END_LIMIT_MS = 120_000;

/** Closes an agent that worked apart, and removes its view and its journal. */
export async function closeAndForget(agent: Agent): Promise<void> {
  const limit = deadlineIn(END_LIMIT_MS);
  const { id, journalPath } = agent.session;
  try {
    await agent.commands.shell.jobs.end({ kind: 'shutdown' });
    await agent.apart.drop('all', limit);
  } finally {
    await agent.close();
  }
  await deleteSession(agent.state, { id, path: journalPath }, limit);
}
