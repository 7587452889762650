import { type Agent, type AgentResult, openState, type State } from '@toolwright/core';
import {
  createClock,
  createIds,
  type ParkedRun,
  parkedQuestions,
  saveParkedRun,
  stateFolderPath,
} from '@toolwright/core/front-end';
import type { Arguments } from '../../command-line/args.js';

/** The command line of a run, as plain data: without the prompt, which its journal has. */
interface ParkedFront {
  cwd: string;
  switches: string[];
  values: [string, string][];
  lists: [string, string[]][];
  /** What the run has used of its limits; absent in runs that an older version parked. */
  used?: AgentResult;
}

const ofTheBeginning = ['prompt', 'resume', 'session-id', 'input-format'];

export function openOwnState(): State {
  return openState({ path: stateFolderPath(process.env), host: { clock: createClock(), ids: createIds() } });
}

/** Writes down the questions of a run, so that an answer lets it go on after this process has ended. */
export async function parkRun(
  agent: Agent,
  { parked = [], ...result }: AgentResult,
  args: Arguments,
): Promise<ParkedRun> {
  const used = agent.redactor.data({ ...result, response: '' }) as AgentResult;
  const run: ParkedRun = {
    session: agent.session.id,
    workspace: agent.host.workspace.directory,
    parkedAt: new Date().toISOString(),
    questions: parkedQuestions(parked, agent.redactor),
    front: { ...frontOf(args), used },
  };
  await saveParkedRun(agent.state, run);
  return run;
}

function frontOf({ switches, values, lists }: Arguments): ParkedFront {
  return {
    cwd: process.cwd(),
    switches: [...switches].filter((name) => name !== 'continue'),
    values: [...values].filter(([name]) => !ofTheBeginning.includes(name)),
    lists: [...lists],
  };
}

/** The command line with which a run goes on. */
export function argumentsOf({ front, session }: ParkedRun): Arguments & Pick<ParkedFront, 'cwd' | 'used'> {
  const { cwd, switches, values, lists, used } = front as ParkedFront;
  return {
    cwd,
    used,
    words: [],
    switches: new Set(switches),
    values: new Map(values).set('resume', session),
    lists: new Map(lists),
  };
}

/** Gives the message for the user, a line for each question. */
export function parkedLines({ session, questions }: ParkedRun): string[] {
  const single = questions.length === 1;
  return questions.map(
    ({ request }, index) =>
      `${request.description}: ${request.reason}. To answer: toolwright answer ${session}${single ? '' : `.${index + 1}`} yes|no`,
  );
}
