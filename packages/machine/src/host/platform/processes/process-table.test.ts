import { expect, it } from 'vitest';
import { parseRows } from './darwin-process-table.js';
import { candidateFolders } from './linux-process-groups.js';
import { listeningSockets } from './linux-process-table.js';

it('the view of this machine finds the place for control groups of version 1 by its mount', () => {
  const membership = '9:name=systemd:/\n8:pids:/user.slice\n4:memory:/other\n0::/\n';
  const mounts = [
    '30 20 0:25 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '31 20 0:26 / /sys/fs/cgroup/pids rw,relatime shared:3 - cgroup cgroup rw,pids',
  ].join('\n');
  expect(candidateFolders(membership, mounts)).toEqual([
    { version: 1, folder: '/sys/fs/cgroup/pids/user.slice' },
  ]);
});

it('the view of this machine goes up from our own group with version 2, nearest first', () => {
  const membership = '0::/user.slice/user-1000.slice/app.scope\n';
  const mounts = '30 20 0:25 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw';
  expect(candidateFolders(membership, mounts)).toEqual([
    { version: 2, folder: '/sys/fs/cgroup/user.slice/user-1000.slice/app.scope' },
    { version: 2, folder: '/sys/fs/cgroup/user.slice/user-1000.slice' },
    { version: 2, folder: '/sys/fs/cgroup/user.slice' },
    { version: 2, folder: '/sys/fs/cgroup' },
  ]);
});

it('the view of this machine finds no place where nothing is mounted', () => {
  expect(candidateFolders('0::/\n', '')).toEqual([]);
  expect(candidateFolders('', '')).toEqual([]);
});

it('the view of this machine reads the list of processes as macOS prints it', () => {
  const text = [
    '    1     0     1      0 Ss   Mon Nov 16 01:58:00 2026    ',
    '  512     1   512      0 S+   Mon Nov 16 02:00:01 2026',
    '  513   512   512      0 Z    Mon Nov 16 02:00:02 2026',
    '',
  ].join('\n');
  expect(parseRows(text)).toEqual([
    { pid: 1, parent: 0, group: 1, session: 1, start: 'Mon Nov 16 01:58:00 2026', isGone: false },
    { pid: 512, parent: 1, group: 512, session: 512, start: 'Mon Nov 16 02:00:01 2026', isGone: false },
    { pid: 513, parent: 512, group: 512, session: 512, start: 'Mon Nov 16 02:00:02 2026', isGone: true },
  ]);
});

it('the view of this machine reads listening sockets of both kinds and no others', () => {
  const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000 100 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0000 20 4
   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4244 1 0 100 0
`;
  expect(listeningSockets(text)).toEqual([
    { inode: '4242', port: 8080 },
    { inode: '4244', port: 80 },
  ]);
});
