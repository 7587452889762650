/** True if an error comes from the file, which is then told. */
type Claim = (error: unknown) => boolean;

const claims = new Map<string, Claim>();

/**
 * Reports errors that a tool file throws outside a call, in a timer or a promise nobody waits for, to whoever loaded
 * it. They would end the program; errors from elsewhere still do.
 */
export function claimStrayErrors(path: string, claim: Claim): void {
  if (claims.size === 0) process.on('uncaughtException', take);
  claims.set(path, claim);
}

function take(error: unknown): void {
  if ([...claims.values()].some((claim) => claim(error))) return;
  process.off('uncaughtException', take);
  setImmediate(() => {
    throw error;
  });
}
