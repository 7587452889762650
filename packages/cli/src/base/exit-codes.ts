/** Exit codes for scripts. Where several apply: cancelled, failure, turn limit, refused. */
export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  auth: 41,
  settings: 52,
  turnLimit: 53,
  nobodyToAsk: 54,
  cancelled: 130,
} as const;

/** A mistake in how the program was called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Output that can't be written ends the program: silently when nobody reads any more, as after `toolwright … | head`, and
 * with one line when there is no room.
 */
export function endWhenOutputFails(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
      // The terminal was closed: the signal that comes with it ends the run in good order.
      if (error.code === 'EIO') return;
      if (stream === process.stdout) process.stderr.write(sentenceAbout(error));
      process.exit(exitCodes.failure);
    });
  }
}

function sentenceAbout({ code, message }: NodeJS.ErrnoException): string {
  const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'there is no room for it' : message;
  return `toolwright: The output can't be written: ${why}. Make room, or send it elsewhere.\n`;
}
