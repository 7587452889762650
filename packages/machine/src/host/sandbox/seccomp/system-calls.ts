export type Architecture = 'x64' | 'arm64';

type SystemCall = readonly [name: string, x64: number | null, arm64: number | null];

/** Refused: other processes' memory, the keyring, the kernel's tables, mounts, the machine itself. */
export const refusedCalls: readonly SystemCall[] = [
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['process_madvise', 440, 440],
  ['pidfd_getfd', 438, 438],
  ['kcmp', 312, 272],
  ['move_pages', 279, 239],
  ['keyctl', 250, 219],
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['fanotify_init', 300, 262],
  ['lookup_dcookie', 212, 18],
  ['open_by_handle_at', 304, 265],
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['mount_setattr', 442, 442],
  ['setns', 308, 268],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['reboot', 169, 142],
  ['settimeofday', 164, 170],
  ['clock_settime', 227, 112],
  ['clock_adjtime', 305, 266],
  ['sethostname', 170, 161],
  ['setdomainname', 171, 162],
  ['acct', 163, 89],
  ['quotactl', 179, 60],
  ['quotactl_fd', 443, 443],
  ['syslog', 103, 116],
  ['vhangup', 153, 58],
  ['iopl', 172, null],
  ['ioperm', 173, null],
];

/**
 * Reported as unknown to the kernel, so that programs fall back: the filter can't read what they would do, or the
 * kernel does it where no filter looks.
 */
export const unknownCalls: readonly SystemCall[] = [
  ['clone3', 435, 435],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
];

/** Refused depending on an argument. */
export const examinedCalls = {
  clone: { x64: 56, arm64: 220 },
  unshare: { x64: 272, arm64: 97 },
  ioctl: { x64: 16, arm64: 29 },
  socket: { x64: 41, arm64: 198 },
} as const;

export function numbersFor(rows: readonly SystemCall[], architecture: Architecture): number[] {
  return rows
    .map(([, x64, arm64]) => (architecture === 'x64' ? x64 : arm64))
    .filter((number) => number !== null);
}
