import { type Architecture, examinedCalls, numbersFor, refusedCalls, unknownCalls } from './system-calls.js';

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
