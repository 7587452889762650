import type { Job, JobNote } from '@toolwright/machine/host/jobs/jobs.js';
import type { ToolResult } from '../tools.js';

type Reader = 'model' | 'user';

/** The state of a job in words: `running, listens on port 3000`. The advice differs for model and user. */
export function describeJob(job: Job, reader: Reader = 'model'): string {
  return [statusWords(job, reader), ...job.notes].join('; ');
}

function statusWords({ id, status, ports }: Job, reader: Reader): string {
  switch (status.kind) {
    case 'running':
      if (ports.length === 0) return 'running';
      return `running, listens on port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
    case 'waiting': {
      const { prompt, echo } = status.blocked;
      const asks = `it waits for input${prompt === '' ? '' : ` after printing ${JSON.stringify(prompt)}`}`;
      if (reader === 'user') return `${asks}. /jobs input ${id} ANSWER answers, /jobs stop ${id} ends it`;
      const choices = echo
        ? `Answer with jobs {"action": "input", "id": "${id}", "text": "…"}, or stop it and run it with options that ask nothing`
        : `What is typed is not shown, so only the user may answer: tell them to type /jobs input ${id} and the answer, or stop it`;
      return `${asks}. ${choices}`;
    }
    case 'ended':
      // The message of a limit is a whole sentence.
      if (status.stopped?.kind === 'limit' && status.stopped.message) return status.stopped.message;
      if (status.stopped) return `stopped (${status.stopped.message ?? status.stopped.kind})`;
      return status.exitCode === null
        ? `ended by ${status.signal ?? 'a signal'}`
        : `ended with exit code ${status.exitCode}`;
  }
}

/** A note on protected paths that a job may have made; the user may have made them, too. */
export function exposedNote(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const [were, them] = paths.length === 1 ? ['was', 'it'] : ['were', 'them'];
  return [
    `while it ran ${paths.join(', ')} ${were} made or replaced, and nothing kept this job from writing ${them}: look at ${them} before anything runs ${them}`,
  ];
}

/** Adds notes about jobs to the next result, once: nobody may look at the job itself for hours. */
export function withNews(result: ToolResult, notes: readonly JobNote[], told: Set<string>): ToolResult {
  const { llmContent, returnDisplay } = result;
  if (notes.length === 0 || typeof llmContent !== 'string') return result;
  const isNew = ({ id, note }: JobNote): boolean => !told.has(`${id} ${note}`) && !llmContent.includes(note);
  const lines = notes.filter(isNew).map(({ id, note }) => `\n[${id}: ${note}]`);
  for (const { id, note } of notes) told.add(`${id} ${note}`);
  const display = typeof returnDisplay === 'string' ? returnDisplay + lines.join('') : returnDisplay;
  return { ...result, llmContent: llmContent + lines.join(''), returnDisplay: display };
}
