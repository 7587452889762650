import type { SavedEntry } from '@toolwright/core';
import { entriesOfText, type LiveAnswer, openModelTable } from '@toolwright/core/front-end';
import type { TimelineCall } from '../../wire/wire.js';
import { type Methods, Problem } from '../http/answer-requests.js';
import type { WebNeeds } from '../needs.js';
import { callViewOf } from '../sessions/call-view.js';
import { briefOf, createTimeline } from '../sessions/timeline.js';
import type { FleetWatch } from './fleet-watch.js';
import { patchAsDiff } from './patch-as-diff.js';
import { folderOf, questionsOf, rowOf } from './task-row.js';

/** Answers the page's requests about the fleet. */
export function fleetMethods(fleet: FleetWatch, { state }: Pick<WebNeeds, 'state'>) {
  const entriesOf = (id: string, journal: string | null) =>
    entriesOfText(journal ?? '', `the journal of the task ${id}`);
  return {
    'list/tasks': ({ state: which }) => fleet.tasks(which),
    async 'read/task'({ id }) {
      const { record, questions, journal } = await (await fleet.door()).read(id);
      const timeline = createTimeline(await openModelTable(state));
      const entries = entriesOf(id, journal);
      timeline.add(entries);
      const items = [...timeline.items, ...(record.state === 'running' ? pendingCalls(entries) : [])];
      return { record, row: rowOf(record), questions: questionsOf(record, questions), items };
    },
    async 'read/task-call'({ task, callId }) {
      const { record, journal } = await (await fleet.door()).read(task);
      return callViewOf(entriesOf(task, journal), callId, folderOf(record));
    },
    async 'read/task-changes'({ id }) {
      const patch = await (await fleet.door()).readPatch(id);
      return patch === null ? null : patchAsDiff(patch);
    },
    async 'answer/task'({ task, ...answer }) {
      const taken = await answerTask(fleet, task, answer);
      fleet.wake();
      return { taken };
    },
    async 'prompt/task'({ id, action }) {
      const taken = await (await fleet.door())[action](id);
      fleet.wake();
      return { taken };
    },
  } satisfies Partial<Methods>;
}

/** Calls that the model asked for, and of which the store has heard nothing yet: the worker runs them. */
function pendingCalls(entries: readonly SavedEntry[]): TimelineCall[] {
  const last = entries.findLast((entry) => entry.type === 'message' || entry.type === 'call-start');
  if (last?.type !== 'message' || last.message.role !== 'model') return [];
  return last.message.parts.flatMap(({ functionCall }): TimelineCall[] => {
    if (!functionCall) return [];
    const { id: callId = '', name: tool = '', args = {} } = functionCall;
    const shown = { shown: '', isCut: false };
    return [{ kind: 'call', at: last.at, callId, tool, brief: briefOf(args), state: 'running', ...shown }];
  });
}

/** A yes or a no to exactly the question that the digest names. */
async function answerTask(
  fleet: FleetWatch,
  task: string,
  { digest, answer, reason = '' }: LiveAnswer,
): Promise<boolean> {
  const door = await fleet.door();
  const { record, questions } = await door.read(task);
  const asked = questionsOf(record, questions).find((question) => question.digest === digest);
  if (!asked) return false;
  const chosen = asked.question.answers[answer];
  if (!chosen) throw new Problem('A task that is parked takes a yes or a no.');
  const agrees = chosen.kind === 'once';
  const why = agrees ? '' : reason.trim();
  return door.answer({ task, digest }, why === '' ? { agrees } : { agrees, reason: why });
}
