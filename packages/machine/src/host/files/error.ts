import { isNodeError, isToolError, ToolError, type ToolErrorCode } from '../../base/errors.js';
import { foreignText } from '../../base/sentences/foreign-text.js';
import type { Workspace } from '../workspace.js';

const known: Record<string, { code: ToolErrorCode; why: string }> = {
  ENOENT: { code: 'not_found', why: 'it does not exist' },
  ENOTDIR: { code: 'not_found', why: 'a part of the path is a file, not a folder' },
  EEXIST: { code: 'conflict', why: 'something else is there by now' },
  EACCES: { code: 'denied', why: 'the operating system does not permit it' },
  EPERM: { code: 'denied', why: 'the operating system does not permit it' },
  EROFS: { code: 'denied', why: 'it is on a read-only file system' },
  ENAMETOOLONG: { code: 'invalid_params', why: 'the path or a name in it is too long' },
  ELOOP: { code: 'conflict', why: 'it was replaced by a link just now. Try again' },
  EISDIR: { code: 'failed', why: 'it is a folder' },
  ENOSPC: { code: 'failed', why: 'the disk is full' },
  EDQUOT: { code: 'failed', why: 'the disk quota is used up' },
  EFBIG: { code: 'too_large', why: 'the file would be larger than the system allows' },
  EMFILE: { code: 'failed', why: 'too many files are open. Try again' },
  ENFILE: { code: 'failed', why: 'too many files are open. Try again' },
  EBUSY: { code: 'failed', why: 'it is in use' },
  ETXTBSY: { code: 'failed', why: 'it is a program that is running' },
  ENXIO: { code: 'failed', why: 'it is a pipe or device, not a regular file' },
};

interface Attempt {
  /** Verb for the message: read, change … */
  doing: string;
  /** The path as messages show it. */
  shown: string;
}

/** Turns the error of a system call into a `ToolError` without paths that only this process understands. */
export function fileSystemError(error: unknown, { doing, shown }: Attempt): unknown {
  if (isToolError(error) || !isNodeError(error) || typeof error.errno !== 'number') return error;
  const code = String(error.code);
  const { code: toolCode, why } = known[code] ?? { code: 'failed' as const, why: code };
  return new ToolError(toolCode, `Can't ${doing} ${shown}: ${why}.`, { cause: error });
}

export function isDirectory(workspace: Workspace, path: string): ToolError {
  return new ToolError('failed', `${nameIn(workspace, path)} is a folder, not a file.`);
}

export function nameIn(workspace: Workspace, path: string): string {
  return foreignText(workspace.show(path));
}
