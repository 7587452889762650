import { readdirSync, readFileSync } from 'node:fs';
import { isNodeError } from '../../../base/errors.js';

const CLOSED_BY_EXEC = 0o2000000;
const STANDARD_ERROR = 2;

/**
 * The descriptors above standard error that every program we start would get: the kernel closes only those that are
 * marked for it. Node marks its own, and of those it inherited the first sixteen and what follows without a gap.
 */
export function inheritableDescriptors(): number[] {
  const all = readdirSync('/proc/self/fd').map(Number);
  return all.filter((descriptor) => descriptor > STANDARD_ERROR && isInheritable(descriptor));
}

export function isInheritable(descriptor: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  } catch (error) {
    // A descriptor that was closed meanwhile leads nowhere; any other that can't be read counts as inheritable.
    return !isNodeError(error, 'ENOENT');
  }
}
