import { basename, join } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { jsonObjectIn } from '@toolwright/machine/base/json.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { removeFile, replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { inStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import { questionDigest } from './question-digest.js';

/** A question that waits for its answer: plain data, bound to the digest of what it asks. */
export interface ParkedQuestion {
  digest: string;
  request: ConfirmRequest;
  /** The user's answer, once there is one. */
  answer?: ParkedAnswer;
}

interface ParkedAnswer {
  agrees: boolean;
  reason?: string;
}

/** A headless run that ended before calls which the user must be asked about. */
export interface ParkedRun {
  session: string;
  workspace: string;
  parkedAt: string;
  questions: ParkedQuestion[];
  /** The front end's own data for going on as it began. */
  front: unknown;
}

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The questions of a run with the digests by which they are answered later. The digest names all that is asked; what is kept for the
 * user to read has no secrets.
 */
export function parkedQuestions(
  requests: readonly ConfirmRequest[],
  redactor: Pick<Redactor, 'data'>,
): ParkedQuestion[] {
  return requests.map((request) => ({
    digest: questionDigest(request),
    request: redactor.data(request) as ConfirmRequest,
  }));
}

/** Writes a run down until it is answered. */
export async function saveParkedRun(state: State, run: ParkedRun): Promise<void> {
  const folder = await state.make('parked');
  const text = `${JSON.stringify({ v: 1, ...run }, null, 2)}\n`;
  await inStateFolder(state.path, () => replaceFile(join(folder, `${run.session}.json`), text));
}

/** Forgets a run that waits for an answer. */
export async function removeParkedRun(state: State, session: string): Promise<void> {
  await removeFile(state.pathOf('parked', `${session}.json`));
}

/** Lists the runs that wait, the oldest first. */
export async function parkedRuns(state: State): Promise<ParkedRun[]> {
  if (!(await state.exists())) return [];
  const folder = state.pathOf('parked');
  const names = (await namesIn(folder)).filter((name) => /^[\w-]+\.json$/.test(name)).sort();
  const runs: ParkedRun[] = [];
  for (const name of names) {
    const run = await readRun(join(folder, name));
    if (run) runs.push(run);
  }
  return runs;
}

/** Finds a run by the beginning of its session's id, with the question that `.N` names. */
export async function findParked(state: State, id: string): Promise<{ run: ParkedRun; question: number }> {
  const [, beginning = '', number] = /^(.*?)(?:\.(\d+))?$/.exec(id) ?? [];
  const found = (await parkedRuns(state)).filter(({ session }) => session.startsWith(beginning));
  if (found.length !== 1 || beginning === '')
    throw new SettingsError(
      `${found.length > 1 ? `${id} is the beginning of ${found.length} runs that wait` : `No run ${id} waits for an answer`}. toolwright answer lists those that do.`,
    );
  const run = found[0]!;
  const open = run.questions.flatMap(({ answer }, index) => (answer ? [] : [index]));
  const question = number === undefined ? open[0] : Number(number) - 1;
  if (number === undefined && open.length > 1)
    throw new SettingsError(
      `${open.length} questions of this run wait: name one, such as ${run.session}.${open[0]! + 1}. toolwright answer lists them.`,
    );
  if (question === undefined || !run.questions[question])
    throw new SettingsError(`The run ${run.session} has no question ${number ?? 'left'}.`);
  return { run, question };
}

/** Answers questions as they were answered while nobody worked; a question that is another now is put off again. */
export function confirmParked(
  questions: readonly Pick<ParkedQuestion, 'digest' | 'answer'>[],
): (request: ConfirmRequest) => Promise<Outcome> {
  const left = [...questions];
  return async (request) => {
    const digest = questionDigest(request);
    const index = left.findIndex((question) => question.digest === digest && question.answer);
    if (index === -1) return { kind: 'park' };
    const [{ answer }] = left.splice(index, 1) as [Pick<ParkedQuestion, 'answer'>];
    return answer!.agrees
      ? { kind: 'once' }
      : { kind: 'cancel', reason: answer!.reason ?? 'no reason was given' };
  };
}

async function readRun(path: string): Promise<ParkedRun | null> {
  const bytes = await readSmallFile(path, MAX_BYTES);
  if (bytes === null) return null;
  const value = jsonObjectIn(bytes.toString('utf8'));
  if (value && Array.isArray(value['questions']) && typeof value['session'] === 'string')
    return value as unknown as ParkedRun;
  throw new SettingsError(`${path} can't be read. Move ${basename(path)} away to continue without it.`);
}
