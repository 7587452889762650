import type { Job } from '../../host/jobs/jobs.js';

/** How a job stands, in words: `running, listens on port 3000`. What to do next differs for who reads it. */
export function describeJob({ id, status, ports }: Job, reader: 'model' | 'person' = 'model'): string {
  switch (status.kind) {
    case 'running':
      if (ports.length === 0) return 'running';
      return `running, listens on port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
    case 'waiting': {
      const { prompt, echo } = status.blocked;
      const asks = `it waits for input${prompt === '' ? '' : ` after printing ${JSON.stringify(prompt)}`}`;
      if (reader === 'person') return `${asks}. /jobs input ${id} ANSWER answers, /jobs stop ${id} ends it`;
      const choices = echo
        ? `Answer with jobs {"action": "input", "id": "${id}", "text": "…"}, or stop it and run it with options that ask nothing`
        : `What is typed is not shown, so only the user may answer: tell them to type /jobs input ${id} and the answer, or stop it`;
      return `${asks}. ${choices}`;
    }
    case 'ended':
      if (status.stopped) return `stopped (${status.stopped.message ?? status.stopped.kind})`;
      return status.exitCode === null
        ? `ended by ${status.signal ?? 'a signal'}`
        : `ended with exit code ${status.exitCode}`;
  }
}
