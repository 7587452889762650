import { join } from 'node:path';
import { ToolError } from '../../../base/errors.js';
import { isInside } from '../../workspace.js';
import type { Outside, OutsidePlace } from '../sandbox.js';
import type { FileSystem } from './file-system.js';
import type { MountPlan } from './mount.js';

/** The path at which programs find the ssh agent they may use. */
export const insideAgent = '/run/toolwright-ssh-agent';

interface OutsideOptions {
  home: string;
  /** Paths that rules forbid to read. */
  hidden: readonly string[];
  fileSystem: Pick<FileSystem, 'names' | 'realPath'>;
}

/** Mounts the paths the user agreed to. Returns the files of a scratch home to copy in and out. */
export function putOutside(
  plan: MountPlan,
  { read, write, sshAgent }: Outside,
  around: OutsideOptions,
): OutsidePlace[] {
  for (const place of read) put(plan, 'read-only', place);
  const seeds: OutsidePlace[] = [];
  for (const place of write) {
    const isFile = place.kind === 'file' || place.kind === 'missing-file';
    if (isFile && plan.deciding(place.path)?.kind === 'scratch') seeds.push(place);
    else if (place.kind === 'missing-file') throw noSuchFile(place);
    else put(plan, 'writable', place);
  }
  if (sshAgent !== undefined) putAgent(plan, sshAgent, around);
  return seeds;
}

function put(plan: MountPlan, kind: 'read-only' | 'writable', { path, real }: OutsidePlace): void {
  plan.put({ kind, path: real });
  if (real !== path && plan.deciding(path)?.kind !== 'link' && !plan.shows(path))
    plan.put({ kind, path, from: real });
}

function noSuchFile({ path }: OutsidePlace): ToolError {
  return new ToolError(
    'not_found',
    `${path} does not exist, and only in the home folder can a single file be made. Name the folder it is to lie in, with a slash at the end.`,
  );
}

const publicFiles = /^(?:known_hosts2?|config|.*\.pub)$/;

/** Shows ssh's settings, known hosts and public keys. Private keys stay with the agent. */
function putAgent(plan: MountPlan, socket: string, { home, hidden, fileSystem }: OutsideOptions): void {
  plan.put({ kind: 'read-only', path: insideAgent, from: socket });
  const folder = join(home, '.ssh');
  for (const name of fileSystem.names(folder).filter((each) => publicFiles.test(each))) {
    const path = join(folder, name);
    const real = fileSystem.realPath(path);
    const isHidden = hidden.some((each) => isInside(path, each) || isInside(real ?? path, each));
    if (real !== null && !isHidden && !plan.has(path)) plan.put({ kind: 'read-only', path, from: real });
  }
}
