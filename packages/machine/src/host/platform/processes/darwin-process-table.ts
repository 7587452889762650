import { execFileSync } from 'node:child_process';
import type { ProcessRow, ProcessTable } from './process-table.js';

const options = {
  timeout: 5_000,
  maxBuffer: 64 * 1024 * 1024,
  encoding: 'latin1',
  env: { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/bin' },
} as const;
const columns = 'pid=,ppid=,pgid=,sess=,state=,lstart=';
const COMMAND_CHARACTERS = 200;

/** Written after the manual of `ps` and not yet run on a Mac. */
export function darwinProcessTable(): ProcessTable {
  return {
    async rows() {
      return parseRows(ps(['-ax', '-o', columns]));
    },
    async rowOf(pid) {
      return parseRows(ps(['-o', columns, '-p', String(pid)]))[0] ?? null;
    },
    carries: (pid, { text }) => ps(['-Eww', '-o', 'command=', '-p', String(pid)]).includes(text),
    async commandOf(pid) {
      return ps(['-ww', '-o', 'command=', '-p', String(pid)])
        .trim()
        .slice(0, COMMAND_CHARACTERS);
    },
    portsOf: () => null,
    memoryOf(pids) {
      const sizes = ps(['-o', 'rss=', '-p', pids.join(',')])
        .trim()
        .split(/\s+/);
      return pids.length === 0 ? 0 : sizes.reduce((sum, kilobytes) => sum + Number(kilobytes) * 1024, 0);
    },
  };
}

function ps(args: string[]): string {
  try {
    return execFileSync('/bin/ps', args, options);
  } catch {
    return '';
  }
}

/** On a Mac the session column is an address and says nothing, so the group stands for it. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+\S+\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (!found) return [];
    const [, pid, parent, group, state = '', start = ''] = found;
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        start,
        isGone: state.startsWith('Z'),
      },
    ];
  });
}
