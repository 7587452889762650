import {
  createClock,
  createLog,
  createRedactor,
  isAbortReason,
  messageOf,
  openStateFolder,
  secretsInEnvironment,
  stateFolderPath,
} from '@toolwright/core/front-end';

/** True for what work throws that a signal has ended: no bug. */
export function isCancellation(error: unknown): boolean {
  return isAbortReason(error) && (error.kind === 'user' || error.kind === 'shutdown');
}

/** Logs the stack of a bug and gives the sentence for the user. */
export async function logInternalError(error: unknown): Promise<string> {
  const folder = openStateFolder(stateFolderPath(process.env));
  const path = folder.pathOf('log', 'debug.log');
  const redactor = createRedactor(secretsInEnvironment(process.env));
  try {
    await folder.make('log');
    createLog({ path, redactor, clock: createClock() }).error('internal error', error);
    return `Internal error: ${redactor.text(messageOf(error))}. The details are in ${path}.`;
  } catch {
    return `Internal error: ${redactor.text(messageOf(error))}. The log ${path} could not be written.`;
  }
}
