import { closeSync, openSync, writeSync } from 'node:fs';

export interface NewFile {
  write(text: string): void;
  close(): void;
}

/** Begins a file of the user's choice that nobody else may read. Throws when there is one of that name already. */
export function createNewFile(path: string): NewFile {
  const descriptor = openSync(path, 'wx', 0o600);
  return {
    write: (text) => void writeSync(descriptor, text),
    close: () => closeSync(descriptor),
  };
}
