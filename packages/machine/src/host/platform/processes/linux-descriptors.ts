import { readdirSync, readFileSync } from 'node:fs';
import { isNodeError } from '../../../base/errors.js';

const CLOSED_BY_EXEC = 0o2000000;
const STANDARD_ERROR = 2;

/**
 * Descriptors above standard error that every started program would inherit. The kernel closes only those marked for
 * it. Node marks its own; of those it inherited, only the first sixteen and what follows without a gap.
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
    // A descriptor that was closed meanwhile can't be inherited; any other that can't be read may be.
    return !isNodeError(error, 'ENOENT');
  }
}
