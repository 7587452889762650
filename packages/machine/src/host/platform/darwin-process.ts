import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const options = { timeout: 2_000, env: { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/bin' } };

/** Changes with every start of the machine. */
export async function bootId(): Promise<string | null> {
  const found = await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], options).catch(() => null);
  return found?.stdout.trim() || null;
}

/** When a process started. Null when it has ended. */
export async function startOfProcess(pid: number): Promise<string | null> {
  const found = await run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], options).catch(() => null);
  return found?.stdout.trim() || null;
}
