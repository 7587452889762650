/** Says whether an error comes from a file, and takes note of it then. */
type Claim = (error: unknown) => boolean;

const claims = new Map<string, Claim>();

/**
 * What a tool file throws outside a call, in a timer or a promise that nobody waits for, would end the program. It is
 * told to whoever loaded the file; an error of anyone else ends the program as ever.
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
