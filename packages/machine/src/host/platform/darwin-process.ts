import { runOwnProgram } from '../processes/launch/child-process.js';

const DEADLINE_MS = 2_000;

/** Changes with every boot of the machine. */
export async function bootId(): Promise<string | null> {
  return outputOf('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
}

/** The start time of a process; null when it has ended. */
export async function startOfProcess(pid: number): Promise<string | null> {
  return outputOf('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]);
}

async function outputOf(program: string, args: string[]): Promise<string | null> {
  const { failure, stdout } = await runOwnProgram(program, args, { deadlineMs: DEADLINE_MS });
  return failure ? null : stdout.trim() || null;
}
