import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';
import type { CheckedFile } from './check-change.js';
import { describeErrors } from './describe-errors.js';
import { stillThere } from './new-errors.js';

/** New errors that no response has told yet. */
export interface UntoldErrors {
  /** Puts what a check found in the place of what was known of the file. */
  note(file: CheckedFile, server: string): void;
  /** Gives a text for each server; afterwards nothing is untold. */
  tell(when: { isLate: boolean }): string[];
  clear(): void;
}

export function createUntoldErrors({
  hidden,
  show,
}: {
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  show(path: string): string;
}): UntoldErrors {
  const untold = new Map<string, { errors: SourceError[]; server: string }>();
  return {
    note({ path, errors, fresh }, server) {
      const remaining = stillThere(untold.get(path)?.errors ?? [], errors);
      const all = [...new Set([...remaining, ...fresh])];
      if (all.length > 0 && !hidden(path)) untold.set(path, { errors: all, server });
      else untold.delete(path);
    },
    tell({ isLate }) {
      const byServer = new Map<string, { path: string; errors: SourceError[] }[]>();
      for (const [path, { errors, server }] of untold)
        byServer.set(server, [...(byServer.get(server) ?? []), { path, errors }]);
      untold.clear();
      return [...byServer].flatMap(
        ([server, files]) => describeErrors(files, { show, server, isLate }) ?? [],
      );
    },
    clear: () => untold.clear(),
  };
}
