/** Codes chosen by remedy: what the model can do about the failure. A closed list. */
export const toolErrorCodes = [
  'invalid_params',
  'unknown_tool',
  'not_found',
  'outside_workspace',
  'conflict',
  'too_large',
  'denied',
  'cancelled',
  'timeout',
  'failed',
] as const;

/** The kind of a tool's failure. */
export type ToolErrorCode = (typeof toolErrorCodes)[number];

/** An expected failure. The message reaches the model, so it says what to try next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(
    readonly code: ToolErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Recognised by shape, not by class: a tool file may carry its own copy of this module. */
export function isToolError(error: unknown): error is ToolError {
  return (
    error instanceof Error &&
    error.name === 'ToolError' &&
    (toolErrorCodes as readonly unknown[]).includes((error as Partial<ToolError>).code)
  );
}

/** The reason a signal was aborted, passed as `controller.abort(reason)`. */
export interface AbortReason {
  kind: 'user' | 'timeout' | 'shutdown' | 'limit';
  message?: string;
}

const abortSentences: Record<AbortReason['kind'], string> = {
  user: 'cancelled by the user',
  timeout: 'stopped at the time limit',
  shutdown: 'stopped because the program is shutting down',
  limit: 'stopped at a limit',
};

export function abortReason(signal: AbortSignal): AbortReason {
  if (isAbortReason(signal.reason)) return signal.reason;
  return { kind: signal.reason?.name === 'TimeoutError' ? 'timeout' : 'user' };
}

/** True for the reason of an abort, which work that was cancelled throws. */
export function isAbortReason(reason: unknown): reason is AbortReason {
  const kind = typeof reason === 'object' && reason !== null && 'kind' in reason ? reason.kind : undefined;
  return typeof kind === 'string' && Object.hasOwn(abortSentences, kind);
}

/** For what a program hands over: a mistake is told at once, and not by whoever uses the signal first. */
export function requireSignal(value: unknown): asserts value is AbortSignal {
  if (typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value)
    return;
  throw new TypeError('The second argument must be an AbortSignal, such as AbortSignal.timeout(60_000).');
}

export function describeAbort(signal: AbortSignal): string {
  return sentenceOf(abortReason(signal));
}

function sentenceOf({ kind, message }: AbortReason): string {
  return message ?? abortSentences[kind];
}

/** A mistake in the user's configuration: settings, flags, files named by them. Exit code 52. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** Set when every mistake is in the value of a flag: then the command line is wrong, exit code 2. */
  inFlags = false;
}

/** Another program works with what is asked for. */
export class InUseError extends SettingsError {}

/** The message of anything that was thrown, including the reason of an abort. */
export function messageOf(error: unknown): string {
  if (isAbortReason(error)) return sentenceOf(error);
  return error instanceof Error ? error.message : String(error);
}

/** The result of `work`, or null when it throws: for questions to the system whose failure means "nothing there". */
export function orNull<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export function isNodeError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return (
    error instanceof Error && 'code' in error && (codes.length === 0 || codes.includes(String(error.code)))
  );
}
