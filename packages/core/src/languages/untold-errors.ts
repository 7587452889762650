import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';
import type { CheckedFile } from './check-change.js';
import { boundErrors, type FileErrors, type NewErrors } from './describe-errors.js';
import { stillThere } from './new-errors.js';

/** Whoever made a change is told of its errors: a subagent by its name, the conversation itself without one. */
export type Author = string | undefined;

/** New errors that no response has told yet. */
export interface UntoldErrors {
  /** Puts what a check found in the place of what was known of the file. */
  note(file: CheckedFile, from: { server: string; author: Author }): void;
  /** Gives what each server has found of the changes of these authors; afterwards nothing of them is untold. */
  tell(of: { author: Author; andAgents: boolean; isLate: boolean }): NewErrors[];
  clear(): void;
}

interface Untold {
  errors: SourceError[];
  server: string;
}

export function createUntoldErrors({
  hidden,
  show,
}: {
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  show(path: string): string;
}): UntoldErrors {
  const byAuthor = new Map<Author, Map<string, Untold>>();
  return {
    note({ path, errors, fresh }, { server, author }) {
      if (!byAuthor.has(author)) byAuthor.set(author, new Map());
      for (const [who, untold] of byAuthor) {
        const known = untold.get(path);
        const remaining = stillThere(known?.errors ?? [], errors);
        const all = [...new Set([...remaining, ...(who === author ? fresh : [])])];
        if (all.length > 0 && !hidden(path)) untold.set(path, { errors: all, server });
        else untold.delete(path);
      }
    },
    tell({ author, andAgents, isLate }) {
      const authors = andAgents ? [...byAuthor.keys()] : [author];
      const found = authors.flatMap((who) => [...(byAuthor.get(who) ?? [])]);
      for (const who of authors) byAuthor.delete(who);
      const byServer = new Map<string, FileErrors[]>();
      for (const [path, { errors, server }] of found)
        byServer.set(server, [...(byServer.get(server) ?? []), { path, errors }]);
      return [...byServer].flatMap(([server, files]) => boundErrors(files, { show, server, isLate }) ?? []);
    },
    clear: () => byAuthor.clear(),
  };
}
