const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** Errors that nobody can catch, thrown while a tool is checked. */
export interface StrayErrors {
  readonly errors: readonly unknown[];
  stop(): void;
}

/** Takes the place of every other listener meanwhile: what is thrown belongs to the tool, not to who checks it. */
export function watchStrayErrors(): StrayErrors {
  const errors: unknown[] = [];
  const take = (error: unknown): void => void errors.push(error);
  const others = EVENTS.map((event) => process.rawListeners(event as 'uncaughtException'));
  for (const event of EVENTS) process.removeAllListeners(event).on(event, take);
  return {
    errors,
    stop() {
      for (const [index, event] of EVENTS.entries()) {
        process.removeListener(event, take);
        for (const listener of others[index] ?? [])
          process.on(event as 'uncaughtException', listener as () => void);
      }
    },
  };
}
