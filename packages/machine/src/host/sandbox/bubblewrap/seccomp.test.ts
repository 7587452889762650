import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Architecture,
  examinedCalls,
  numbersFor,
  refusedCalls,
  seccompFilter,
  unknownCalls,
} from './seccomp.js';

interface Call {
  architecture?: number;
  number: number;
  args?: readonly number[];
}

const ALLOWED = 'allowed';

/** The kernel's verdict on a system call, worked out from the bytes of the filter. */
function verdict(
  filter: Uint8Array,
  { architecture, number, args = [] }: Required<Omit<Call, 'args'>> & Call,
) {
  const bytes = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture >>> 0, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < bytes.length / 8; at++) {
    const [code, value] = [bytes.readUInt16LE(at * 8), bytes.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean): number => bytes.readUInt8(at * 8 + (holds ? 2 : 3));
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += jump(accumulator === value);
    else if (code === 0x35) at += jump(accumulator >= value);
    else if (code === 0x45) at += jump((accumulator & value) !== 0);
    else if (code === 0x06) return value === 0x7fff0000 ? ALLOWED : value & 0xffff;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the program runs off its end');
}

const names = { x64: 0xc000003e, arm64: 0xc00000b7 };
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

test.each<Architecture>(['x64', 'arm64'])(
  'on %s what is refused is refused, and the rest is left alone',
  (machine) => {
    const filter = seccompFilter(machine)!;
    const ask = (number: number, ...args: number[]) =>
      verdict(filter, { architecture: names[machine], number, args });
    for (const number of numbersFor(refusedCalls, machine)) expect(ask(number)).toBe(EPERM);
    for (const number of numbersFor(unknownCalls, machine)) expect(ask(number)).toBe(ENOSYS);
    const { clone, unshare, ioctl, socket } = examinedCalls;
    const table: [number, number[], unknown][] = [
      [clone[machine], [0x11], ALLOWED],
      [clone[machine], [0x3d0f00], ALLOWED],
      [clone[machine], [0x10000000 | 0x11], EPERM],
      [clone[machine], [0x00020000], EPERM],
      [unshare[machine], [0x10000000], EPERM],
      [unshare[machine], [0x40000000], EPERM],
      [unshare[machine], [0x400], ALLOWED],
      [ioctl[machine], [0, 0x5412], EPERM],
      [ioctl[machine], [0, 0x541c], EPERM],
      [ioctl[machine], [0, 0x5413], ALLOWED],
      [socket[machine], [1], ALLOWED],
      [socket[machine], [2], ALLOWED],
      [socket[machine], [10], ALLOWED],
      [socket[machine], [16], ALLOWED],
      [socket[machine], [40], EAFNOSUPPORT],
      [socket[machine], [38], EAFNOSUPPORT],
    ];
    for (const [number, args, expected] of table)
      expect([number, args, ask(number, ...args)]).toEqual([number, args, expected]);
  },
);

test.each<Architecture>(['x64', 'arm64'])('on %s no other call is touched', (machine) => {
  const filter = seccompFilter(machine)!;
  const special = new Set([
    ...numbersFor(refusedCalls, machine),
    ...numbersFor(unknownCalls, machine),
    ...Object.values(examinedCalls).map((numbers) => numbers[machine]),
  ]);
  fc.assert(
    fc.property(fc.nat({ max: 470 }), fc.array(fc.nat(), { maxLength: 6 }), (number, args) => {
      fc.pre(!special.has(number));
      expect(verdict(filter, { architecture: names[machine], number, args })).toBe(ALLOWED);
    }),
  );
});

test('a call in the numbers of another processor is unknown, and so is the second table of x64', () => {
  const filter = seccompFilter('x64')!;
  expect(verdict(filter, { architecture: 0x40000003, number: 26 })).toBe(ENOSYS);
  expect(verdict(filter, { architecture: names.x64, number: 0x40000000 + 521 })).toBe(ENOSYS);
  expect(verdict(seccompFilter('arm64')!, { architecture: 0x40000028, number: 1 })).toBe(ENOSYS);
});

test('there is no filter for a processor whose calls are not known', () => {
  expect(seccompFilter('riscv64')).toBeNull();
});
