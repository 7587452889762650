import type { BoundedGroups } from '../../platform/processes/linux-process-groups.js';
import { MARK_DIGITS, type Mark } from '../../platform/processes/process-table.js';
import { spawn } from '../launch/child-process.js';

/**
 * Reads from a pipe that only we hold. The pipe ends when we do, whatever ended us; then it ends every process that
 * carries our mark, three times over for those that fork meanwhile, and itself.
 */
const script = `trap '' HUP INT TERM
while read -r _; do :; done
for _ in 1 2 3; do
  { grep -lE -- "^Max file locks +$2" /proc/[0-9]*/limits; grep -laF -- "$1" /proc/[0-9]*/environ; } |
    while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
done 2>/dev/null
shift 2
test -z "$1" || { sleep 0.1; for group; do rmdir "$group"*; done; } 2>/dev/null`;

/**
 * Linux only: elsewhere a shell can't see the environment of a process by its file. The function that is returned sends it
 * away.
 */
export function startWatchdog({ text, digits }: Mark, groups: BoundedGroups | null): () => void {
  if (process.platform !== 'linux') return () => undefined;
  const pattern = `${digits}[0-9]{${MARK_DIGITS - digits.length}} `;
  const dog = spawn(
    '/bin/sh',
    ['-c', script, 'toolwright-watchdog', text, pattern, ...(groups?.pathsOf(text) ?? [''])],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  // It must not keep us from ending.
  dog.unref();
  if ('unref' in dog.stdin && typeof dog.stdin.unref === 'function') dog.stdin.unref();
  return () => void dog.stdin.end();
}
