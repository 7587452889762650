import type { BoundedGroups } from '../../platform/processes/linux-process-groups.js';
import { MARK_DIGITS, type Mark } from '../../platform/processes/process-table.js';
import { spawn } from '../launch/child-process.js';

/**
 * Reads from a pipe that only we hold. The pipe ends when we do, whatever ended us; then it ends every process that
 * carries our mark, three times over for those that fork meanwhile. A line on the pipe says that there is none. What is
 * left of control groups goes last, because the kernel needs a moment to forget the last process of one.
 */
const script = `trap '' HUP INT TERM
if ! read -r _; then
  for _ in 1 2 3; do
    { grep -lE -- "^Max file locks +$2" /proc/[0-9]*/limits; grep -laF -- "$1" /proc/[0-9]*/environ; } |
      while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
  done
fi 2>/dev/null
shift 2
for _ in 1 2 3 4 5 6 7 8; do
  left=
  for place; do
    for group in "$place"*; do
      test ! -d "$group" || rmdir "$group" || left=yes
    done
  done
  test -n "$left" || exit
  sleep 0.02
done 2>/dev/null`;

/** A shell with nothing to do; only one that was halted takes longer. */
const LEAVING_LIMIT_MS = 1_000;

/** Ends the watchdog. Where no process of ours is left it ends at once, before the promise settles. */
export type SendAway = (isNothingLeft: boolean) => Promise<void>;

/** Linux only: elsewhere a shell can't see the environment of a process by its file. */
export function startWatchdog({ text, digits }: Mark, groups: BoundedGroups | null): SendAway {
  if (process.platform !== 'linux') return () => Promise.resolve();
  const pattern = `${digits}[0-9]{${MARK_DIGITS - digits.length}} `;
  const dog = spawn(
    '/bin/sh',
    ['-c', script, 'toolwright-watchdog', text, pattern, ...(groups?.pathsOf(text) ?? [])],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  // No descriptor was left to start it with; the next start ends what a kill would leave.
  if (dog.pid === undefined) return () => Promise.resolve();
  const { stdin } = dog;
  stdin.on('error', () => undefined);
  // The watchdog must not keep us from ending.
  dog.unref();
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return async (isNothingLeft) => {
    if (!isNothingLeft) return void stdin.end();
    if (dog.exitCode !== null || dog.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LEAVING_LIMIT_MS);
      dog.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      stdin.end('over\n');
    });
  };
}
