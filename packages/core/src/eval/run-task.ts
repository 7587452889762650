import { dirname, join } from 'node:path';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { planChanges } from '@toolwright/machine/changes/plan.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { makeShortLivedFolder, removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { here } from '@toolwright/machine/host/plain-files/place.js';
import { removeEmptyFolder } from '@toolwright/machine/host/state/replace-file.js';
import { layOutFile } from '@toolwright/machine/host/trees/lay-out-file.js';
import type { AgentResult } from '../agent/events.js';
import { checkWork } from '../apart/race/check-work.js';
import type { Agent } from '../create-agent.js';
import type { CreateAgentOptions } from '../options/agent-options.js';
import { closeAndForget } from '../replay/close-and-forget.js';
import { contentOrWhyNot } from '../replay/compare-files.js';
import type { EvalRun } from './results.js';
import { keepAnswers, saveAnswers, savedModel } from './saved-answers.js';
import type { EvalTask } from './task.js';

export interface RunTaskOptions {
  /** The number, counted from 1. */
  number: number;
  /** Opens an agent in a folder, with these options over those of the user's settings. */
  open(workspace: string, options: Partial<CreateAgentOptions>): Promise<Agent>;
  /** Takes the answers from the task, or keeps those of the model there. */
  answers: 'model' | 'recorded' | 'saved';
  signal: AbortSignal;
}

/** Gives a task to an agent in a folder of its own, apart, and runs the task's test on what it left. */
export async function runTask(task: EvalTask, options: RunTaskOptions): Promise<EvalRun> {
  const folder = here.afterLinks(makeShortLivedFolder());
  try {
    for (const { path, bytes, mode } of task.environment)
      layOutFile(folder, { path, bytes, mode, modifiedMs: Date.now() });
    return await runIn(folder, task, options);
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...emptyRun(task, options.number), error: messageOf(error) };
  } finally {
    await removeTree(folder);
  }
}

async function runIn(
  folder: string,
  task: EvalTask,
  { number, open, answers, signal }: RunTaskOptions,
): Promise<EvalRun> {
  const recorded = answers === 'recorded' ? await savedModel(task) : null;
  const kept: Parameters<typeof keepAnswers>[1] = [];
  // The model of the settings stays where there are no recorded answers.
  const chosen = recorded ? { model: recorded.client } : {};
  const agent = await open(folder, {
    ...chosen,
    apart: true,
    saysApart: false,
    wrapModel: answers === 'saved' ? (client) => keepAnswers(client, kept) : undefined,
  });
  try {
    const startedAt = performance.now();
    const result = await agent.prompt(task.instruction, deadlineIn(task.agentLimitMs, signal));
    const durationMs = Math.round(performance.now() - startedAt);
    signal.throwIfAborted();
    await agent.commands.shell.jobs.end({ kind: 'shutdown' });
    const checked = await checkAgent(agent, task, signal);
    if (answers === 'saved' && checked.passed) await saveAnswers(task, kept);
    const run = { ...emptyRun(task, number), ...numbersOf(agent, result), durationMs, ...checked };
    const [unmet] = recorded?.unmet ?? [];
    return unmet === undefined ? run : { ...run, passed: false, error: unmet };
  } finally {
    await closeAndForget(agent);
    // Each run has a workspace of its own, whose sessions would leave a folder.
    await removeEmptyFolder(dirname(agent.session.journalPath));
  }
}

/** The tests come only now: the agent has not seen them, and whatever lies in their place gives way. */
async function checkAgent(
  agent: Agent,
  task: EvalTask,
  signal: AbortSignal,
): Promise<Pick<EvalRun, 'passed' | 'ended' | 'output'>> {
  const { host } = agent;
  const files = await Promise.all(
    task.tests.map(async ({ path, bytes, mode }) => {
      const whole = join(host.workspace.directory, 'tests', path);
      const before = await contentOrWhyNot(host.files, whole, signal);
      return { path: whole, before: typeof before === 'string' ? null : before, after: { bytes, mode } };
    }),
  );
  const planned = await planChanges({ id: host.ids.next(), files, show: host.workspace.show });
  await agent.changes.commit(planned, { signal });
  const { passed, ended, output } = await checkWork(agent, {
    command: 'bash tests/test.sh',
    limitMs: task.testLimitMs,
    clock: host.clock,
    signal,
  });
  return { passed, ended, output };
}

function numbersOf(agent: Agent, { reason, turns, calls, usage, cost, denials, error }: AgentResult) {
  const { prices } = agent.factsOf();
  return {
    reason,
    turns,
    calls,
    refused: denials.length,
    model: agent.model.model,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: cost ?? (prices ? 0 : null),
    error: error?.message ?? null,
  };
}

function emptyRun({ name: task }: EvalTask, number: number): EvalRun {
  return {
    v: 1,
    task,
    number,
    passed: false,
    ended: '',
    output: '',
    model: '',
    reason: null,
    turns: 0,
    calls: 0,
    refused: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: null,
    durationMs: 0,
    error: null,
  };
}
