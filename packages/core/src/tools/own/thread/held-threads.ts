import { killChildrenOf } from '@toolwright/machine/host/platform/linux-threads.js';

/** A thread that Node waits for when the program exits. */
export interface HeldThread {
  /** The kernel's number of it; null while it is not known. */
  readonly kernelThread: number | null;
  /** True once the thread was told to end. */
  readonly isEnding: boolean;
}

const held = new Set<HeldThread>();

/** Keeps the program alive for a thread that gets its first call or is told to end. */
export function hold(thread: HeldThread): void {
  if (held.size === 0) process.on('exit', exitInSpiteOfThreads);
  held.add(thread);
}

/** Lets the program end once a thread has no open call any more or has ended. */
export function letGo(thread: HeldThread): void {
  held.delete(thread);
  if (held.size === 0) process.off('exit', exitInSpiteOfThreads);
}

/** Signal that makes a shell see the exit code of a cancelled run, 130. */
const CANCELLED = 128 + 2;

/**
 * Node joins all threads before it exits, and one that is blocked in the kernel never ends. So a program that holds
 * one is ended by a signal, after all else was done at its exit.
 */
function exitInSpiteOfThreads(code: number): void {
  for (const { kernelThread } of held) if (kernelThread !== null) killChildrenOf(kernelThread);
  // Another signal ends the program at once, should it wait nevertheless.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
  if (code === CANCELLED) process.kill(process.pid, 'SIGINT');
  else if ([...held].some(({ isEnding }) => isEnding)) process.kill(process.pid, 'SIGKILL');
}
