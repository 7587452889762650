import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Counts the calls by which this process changes something on the disk, and ends it by SIGKILL right before a chosen one. To be
 * imported before everything else: other modules may take functions of `node:fs` into variables.
 */
const state = { isCounting: false, count: 0, fatal: Number.POSITIVE_INFINITY };

/** From now on calls count; the one with this number does not happen any more. */
export function dieAt(fatal: number): void {
  Object.assign(state, { isCounting: true, count: 0, fatal });
}

/** The number of calls since `dieAt`, which are counted no more. */
export function survived(): number {
  state.isCounting = false;
  return state.count;
}

function step(): void {
  if (!state.isCounting) return;
  state.count += 1;
  if (state.count === state.fatal) process.kill(process.pid, 'SIGKILL');
}

type Work = (...args: never[]) => unknown;

function count(target: object, name: string, isChange: (...args: never[]) => boolean = () => true): void {
  const original = Reflect.get(target, name) as Work;
  const counted: Work = (...args) => {
    if (isChange(...args)) step();
    return original(...args);
  };
  Reflect.set(target, name, Object.assign(counted, original));
}

function mayWrite(_path: PathLike, flags: string | number = 'r'): boolean {
  const { O_WRONLY, O_RDWR, O_CREAT } = fs.constants;
  return typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0 : flags !== 'r';
}

const changing = [
  'chmod',
  'lchown',
  'link',
  'lutimes',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'unlink',
];
for (const name of [...changing, 'fchmod', 'fchown', 'utimes', 'write', 'writeFile'])
  count(fs, `${name}Sync`);
for (const name of [...changing, 'writeFile']) count(fs.promises, name);
for (const [target, name] of [
  [fs, 'openSync'],
  [fs.promises, 'open'],
] as const)
  count(target, name, mayWrite);
for (const name of ['fsync', 'ftruncate']) count(fs, name);
syncBuiltinESMExports();
