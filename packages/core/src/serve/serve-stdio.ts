import type { Readable, Writable } from 'node:stream';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { whenAborted } from '@toolwright/machine/host/deadline.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { loadStdioSdk } from './server-sdk.js';
import type { Serving } from './serving.js';

export interface StdioOptions {
  input: Readable;
  /** Carries the protocol and nothing else. */
  output: Writable;
  log: Log;
  /** Ends the serving from our side. */
  signal: AbortSignal;
}

/** Serves the one client that started this program, until it closes its end. */
export async function serveStdio(
  serving: Serving,
  { input, output, log, signal }: StdioOptions,
): Promise<void> {
  const sdk = await loadStdioSdk();
  const transport = new sdk.StdioServerTransport(input, output);
  const stops: (() => void)[] = [];
  const handle = sdk.serveStdio(
    ({ era }) => {
      const { server, tell } = serving.connection(era);
      stops.push(serving.onChange(tell));
      return server;
    },
    { transport, onerror: (error) => log.debug('mcp serve', messageOf(error)) },
  );
  await Promise.race([whenAborted(signal), whenClosed(input, output)]);
  for (const stop of stops) stop();
  await serving.close();
  await handle.close();
}

function whenClosed(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    for (const ending of ['end', 'close', 'error']) input.once(ending, () => resolve());
    output.once('error', () => resolve());
    if (input.readableEnded || input.destroyed) resolve();
  });
}
