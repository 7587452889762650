import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { DoctorFinding } from './examination.js';
import type { WatchedProcesses } from './watched-processes.js';

export async function outputFindings(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  if ((await watched.ended()) === null) return [];
  const count = watched.noiseCount();
  const noise: DoctorFinding =
    count === 0
      ? { stage: 'output', level: 'ok', what: 'standard output carries messages only' }
      : {
          stage: 'output',
          level: 'problem',
          what: `${plural(count, 'line')} on standard output ${count === 1 ? 'is not a message' : 'are not messages'}, such as ${JSON.stringify(watched.noise[0])}`,
          advice: 'Print logs to standard error; some clients give up at the first such line.',
        };
  const bytes = watched.stderrBytes();
  const said = bytes === 0 ? 'nothing on standard error' : `${formatBytes(bytes)} on standard error`;
  return [noise, { stage: 'output', level: 'ok', what: said }];
}

/** Findings about how the process ended when its input was closed. */
export async function endFindings(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  const ended = await watched.ended();
  if (!ended) return [];
  const { exitCode, signal, stopped, survivors } = ended;
  const how: DoctorFinding =
    stopped === null
      ? {
          stage: 'end',
          level: exitCode === 0 ? 'ok' : 'note',
          what: `it ended by itself when its input was closed, ${signal === null ? `with status ${exitCode}` : `by ${signal}`}`,
        }
      : {
          stage: 'end',
          level: 'warning',
          what: 'it did not end when its input was closed, and had to be stopped',
          advice: 'End when standard input ends: a client that is gone can do no more than close it.',
        };
  const others = survivors.map(({ command }) => command.slice(0, 80));
  return [
    how,
    ...(others.length > 0
      ? [
          {
            stage: 'end' as const,
            level: 'warning' as const,
            what: `it left programs running, which were ended: ${others.slice(0, 3).join('; ')}`,
            advice: 'End what you have started.',
          },
        ]
      : []),
  ];
}

/** The number of processes that were left after the end. */
export async function leftoverFindings(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  const ended = await watched.ended();
  if (!ended) return [];
  return [
    { stage: 'end', level: ended.left === 0 ? 'ok' : 'problem', what: `processes left: ${ended.left}` },
  ];
}
