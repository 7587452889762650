/**
 * The route of a command: how it runs and when the user is asked. Permission decides it once per call (`routeOf` in `permission/permission.ts`);
 * the question, the run, the report and `explain` switch on it.
 */
export type Route =
  /** Proven to only read: no question, a read-only view of the workspace, and bash gets the line as it was understood. */
  | { kind: 'direct' }
  /** Plan mode: no question, and a view of the workspace that the command can't change. */
  | { kind: 'read-only' }
  /** The question comes before the command runs. */
  | ({ kind: 'ask-first' } & AfterYes)
  /** The command runs on a copy, and the question is about what it changed there. */
  | { kind: 'staged' }
  /** The question comes first, and the command goes on beside the conversation. */
  | { kind: 'job' };

/** The way to run a command once the user has agreed to it; `why` says why it can't run on a copy. */
type AfterYes = { runs: 'read-only' } | { runs: 'staged' } | { runs: 'in-workspace'; why: string };
