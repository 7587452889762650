import type { Ripgrep } from './ripgrep.js';

/** Tells every file below a folder, hidden and ignored ones too, until `onFile` gives false. */
export type EveryFile = (
  folder: string,
  signal: AbortSignal,
  onFile: (path: string) => boolean,
) => Promise<void>;

export function everyFileOf(ripgrep: Pick<Ripgrep, 'run'>): EveryFile {
  return async (folder, signal, onFile) => {
    const args = ['--files', '--null', '--hidden', '--no-ignore', '--no-messages', '--', folder];
    await ripgrep.run({ args, directory: folder, signal, separator: 'nul', onRecord: onFile });
  };
}
