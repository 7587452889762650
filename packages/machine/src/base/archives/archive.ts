import { SettingsError } from '../errors.js';

/** A regular file of a folder or an archive, by its path with slashes. */
export interface TreeFile {
  path: string;
  bytes: Uint8Array;
  isProgram: boolean;
}

/** Most that is taken in; a bomb ends here before it fills the memory. */
export interface TreeLimits {
  files: number;
  bytes: number;
}

export const usualTreeLimits: TreeLimits = { files: 5_000, bytes: 128 * 1024 * 1024 };

const DEEPEST = 32;
const LONGEST = 1_024;

/** Why a path of somebody else's archive must not be written, or null. */
function problemOfPath(path: string): string | null {
  const parts = path.split('/');
  if (path === '' || path.length > LONGEST || parts.length > DEEPEST) return 'no usable path';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'an absolute path';
  if (parts.includes('..')) return 'a path that leaves the folder';
  if (parts.some((part) => part === '' || part === '.')) return 'no usable path';
  return /[\\\u0000-\u001f\u007f]/.test(path) ? 'a path with characters that no name should have' : null;
}

/** Files of an archive, taken in one by one and held against the limits. */
export class TakenFiles {
  readonly files: TreeFile[] = [];
  readonly #names = new Set<string>();
  #bytes = 0;

  constructor(
    private readonly archive: string,
    private readonly limits: TreeLimits,
  ) {}

  /** Most bytes that may still come. */
  get room(): number {
    return this.limits.bytes - this.#bytes;
  }

  add(file: TreeFile): void {
    const problem = problemOfPath(file.path);
    if (problem) throw this.refusal(`${JSON.stringify(file.path.slice(0, 200))} is ${problem}`);
    // On some systems two names that differ by case are one file.
    const name = file.path.toLowerCase().normalize('NFC');
    if (this.#names.has(name)) throw this.refusal(`${file.path} is in it twice`);
    if (this.files.length >= this.limits.files)
      throw this.refusal(`it has more than ${this.limits.files} files`);
    if (file.bytes.length > this.room) throw this.tooLarge();
    this.#names.add(name);
    this.#bytes += file.bytes.length;
    this.files.push(file);
  }

  tooLarge(): SettingsError {
    return this.refusal(`it unpacks to more than ${Math.floor(this.limits.bytes / 2 ** 20)} MB`);
  }

  refusal(problem: string): SettingsError {
    return new SettingsError(`${this.archive} was not unpacked: ${problem}.`);
  }
}
