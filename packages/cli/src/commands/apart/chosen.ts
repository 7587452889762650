import { resolve } from 'node:path';
import type { Review, ReviewItem } from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';

/** The changes of the files that a command line names, and of everything in the folders it names. */
export function chosenItems({ items }: Review, files: readonly string[], workspace: string): ReviewItem[] {
  const chosen = new Set<ReviewItem>();
  for (const file of files) {
    // Names are those of the shell, or as they were shown.
    const paths = [resolve(file), resolve(workspace, file)];
    const found = items.filter(({ path }) =>
      paths.some((each) => path === each || path.startsWith(`${each}/`)),
    );
    if (found.length === 0)
      throw new UsageError(
        `No change to ${file} is waiting in this session apart. toolwright apart show lists what does.`,
      );
    for (const item of found) chosen.add(item);
  }
  return items.filter((item) => chosen.has(item));
}
