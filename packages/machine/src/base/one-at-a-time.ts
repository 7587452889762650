/** Runs one function after the other, in the order they come; a failure of one does not stop the next. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
