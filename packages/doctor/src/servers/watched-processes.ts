import type { Ended, Processes } from '@toolwright/machine/host/processes/processes.js';
import { createMessageLines } from '@toolwright/mcp/transports/message-lines.js';

/** A server's process, watched for what it does beside speaking the protocol. */
export interface WatchedProcesses {
  processes: Pick<Processes, 'start'>;
  /** Lines on standard output that were no messages; the first few. */
  noise: readonly string[];
  noiseCount(): number;
  stderrBytes(): number;
  /** The end of the latest process; null when none was started. */
  ended(): Promise<Ended | null>;
}

const MOST_NOISE = 3;
const LONGEST_NOISE = 120;

export function watchProcesses(inner: Pick<Processes, 'start'>, messageBytes: number): WatchedProcesses {
  const noise: string[] = [];
  let count = 0;
  let stderr = 0;
  let ended: Promise<Ended> | null = null;
  const listen = (): ((bytes: Buffer) => void) => {
    let lines: ReturnType<typeof createMessageLines> | null = createMessageLines(messageBytes, {
      onMessage: () => undefined,
      onNoise(line) {
        count += 1;
        if (noise.length < MOST_NOISE) noise.push(line.slice(0, LONGEST_NOISE));
      },
    });
    return (bytes) => {
      try {
        lines?.add(bytes);
      } catch {
        // A line without an end: the connection says so.
        lines = null;
      }
    };
  };
  return {
    noise,
    noiseCount: () => count,
    stderrBytes: () => stderr,
    ended: async () => ended,
    processes: {
      async start(launch, options) {
        const hear = listen();
        const running = await inner.start(launch, {
          ...options,
          onBytes(bytes, stream) {
            if (stream === 'stderr') stderr += bytes.length;
            else hear(bytes);
            options.onBytes?.(bytes, stream);
          },
        });
        ended = running.ended;
        return running;
      },
    },
  };
}
