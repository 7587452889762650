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

/**
 * The filter as the kernel takes it, eight bytes per instruction; null for processors whose system calls we don't
 * know.
 */
export function seccompFilter(architecture: string): Uint8Array | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null;
  return assemble([
    ...onlyThisArchitecture(architecture),
    ...numbersFor(unknownCalls, architecture).flatMap((number) => whenEqual(number, refuse(ENOSYS))),
    ...numbersFor(refusedCalls, architecture).flatMap((number) => whenEqual(number, refuse(EPERM))),
    ...whenCalled(examinedCalls.clone[architecture], [
      load(argument(0)),
      ...whenAnyBit(newNamespaces, refuse(EPERM)),
    ]),
    ...whenCalled(examinedCalls.unshare[architecture], [
      load(argument(0)),
      ...whenAnyBit(newNamespaces, refuse(EPERM)),
    ]),
    ...whenCalled(examinedCalls.ioctl[architecture], [
      load(argument(1)),
      ...typingForOthers.flatMap((request) => whenEqual(request, refuse(EPERM))),
    ]),
    ...whenCalled(examinedCalls.socket[architecture], [
      load(argument(0)),
      ...usualFamilies.flatMap((family) => whenEqual(family, ALLOW)),
      refuse(EAFNOSUPPORT),
    ]),
    ALLOW,
  ]);
}

interface Instruction {
  code: number;
  whenTrue?: number;
  whenFalse?: number;
  value: number;
}

const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW: Instruction = { code: RETURN, value: 0x7fff0000 };
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const refuse = (errorNumber: number): Instruction => ({ code: RETURN, value: 0x00050000 | errorNumber });

const auditNames: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** On x64, numbers above this are a second table of the same calls. */
const OTHER_TABLE = 0x40000000;
/** Mount, cgroup, uts, ipc, user, process and network namespaces. */
const newNamespaces = 0x7e020000;
/** TIOCSTI and TIOCLINUX put characters into the input of a terminal. */
const typingForOthers = [0x5412, 0x541c];
/** Unix, IPv4, IPv6, netlink. Others, such as sockets to the host of a virtual machine, ignore namespaces. */
const usualFamilies = [1, 2, 10, 16];

/** Offset of the low half of an argument, which holds all that is compared here. */
const argument = (index: number): number => 16 + 8 * index;
const load = (offset: number): Instruction => ({ code: LOAD_WORD, value: offset });

function onlyThisArchitecture(architecture: Architecture): Instruction[] {
  const others = { code: JUMP_IF_AT_LEAST, whenTrue: 0, whenFalse: 1, value: OTHER_TABLE };
  return [
    load(4),
    { code: JUMP_IF_EQUAL, whenTrue: 1, whenFalse: 0, value: auditNames[architecture] },
    refuse(ENOSYS),
    load(0),
    ...(architecture === 'x64' ? [others, refuse(ENOSYS)] : []),
  ];
}

function whenEqual(value: number, then: Instruction): Instruction[] {
  return [{ code: JUMP_IF_EQUAL, whenTrue: 0, whenFalse: 1, value }, then];
}

function whenAnyBit(bits: number, then: Instruction): Instruction[] {
  return [{ code: JUMP_IF_ANY_BIT, whenTrue: 0, whenFalse: 1, value: bits }, then];
}

/**
 * A call that passes its own checks is allowed at once: its argument stays loaded, so no further comparison would
 * work.
 */
function whenCalled(number: number, then: Instruction[]): Instruction[] {
  const body = [...then, ALLOW];
  return [{ code: JUMP_IF_EQUAL, whenTrue: 0, whenFalse: body.length, value: number }, ...body];
}

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, whenTrue = 0, whenFalse = 0, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
