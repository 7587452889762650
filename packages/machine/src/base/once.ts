/** Runs `work` with the first call and gives every call the same promise. After a failure the next call tries again. */
export function once<Args extends unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let started: Promise<Value> | undefined;
  return (...args) =>
    (started ??= work(...args).catch((error) => {
      started = undefined;
      throw error;
    }));
}
