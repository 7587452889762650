import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../../../base/errors.js';
import { candidateFolders } from './linux-process-groups.js';

/** Bytes that count as used by our control group although the kernel gives them up when somebody needs them: pages of files. */
export function reclaimableBytes(proc = '/proc/self'): number {
  const [membership, mounts] = ['cgroup', 'mountinfo'].map(
    (name) => orNull(() => readFileSync(join(proc, name), 'utf8')) ?? '',
  );
  const own = candidateFolders(membership!, mounts!, 'memory')[0];
  const text = own && orNull(() => readFileSync(join(own.folder, 'memory.stat'), 'utf8'));
  return Number(/^(?:total_)?inactive_file (\d+)$/m.exec(text ?? '')?.[1] ?? 0);
}
