import { type CompiledInput, isPackage } from '@toolwright/machine/host/compile-file.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

export interface CompileOptions {
  state: Pick<StateFolder, 'pathOf' | 'make'>;
  /**
   * Tells whether a file with this content is trusted. Imported files must be trusted too, and so lie in the same
   * folder. Without it the folder is the user's own, and everything may be imported.
   */
  vouched?: (path: string, sha256: string) => Promise<boolean>;
  /** The trusted folder. */
  folder: string;
}

/** Throws where a file, or something it imports, is not what the user vouched for. */
export async function refuseUnvouched(
  path: string,
  inputs: readonly CompiledInput[],
  options: CompileOptions,
): Promise<void> {
  if (!options.vouched) return;
  for (const input of inputs) {
    if (isPackage(input.path)) continue;
    if (!isInside(input.path, options.folder))
      throw new Error(
        `${path} imports ${input.path}, which is outside ${options.folder}. Your trust covers what is in that folder: move the file there.`,
      );
    if (!(await options.vouched(input.path, input.stamp)))
      throw new Error(
        `${input.path} changed since you trusted this folder, so it is not loaded. Look at it, then: toolwright trust`,
      );
  }
}
