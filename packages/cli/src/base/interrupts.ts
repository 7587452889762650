import type { AbortReason } from '@toolwright/core';

/** A signal that fires on Ctrl+C or SIGTERM; a second one ends the program at once. */
export function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (reason: AbortReason) => (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(reason);
  };
  process.on('SIGINT', stop({ kind: 'user' }));
  process.on('SIGTERM', stop({ kind: 'shutdown' }));
  process.on('SIGHUP', stop({ kind: 'shutdown' }));
  return controller.signal;
}
