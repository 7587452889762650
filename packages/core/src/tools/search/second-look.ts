import { plural } from '@toolwright/machine/base/amounts.js';
import { type Counting, countByFile } from './count-matches.js';
import type { SearchHost } from './place.js';
import { countMatches, nameFiles } from './render-matches.js';
import { listFiles } from './walk.js';

const AT_MOST_MS = 1_000;

/** After a search that found nothing: what it would have found in the files it left out. */
export async function describeLeftOut(
  host: SearchHost,
  search: Omit<Counting, 'timeoutMs'>,
): Promise<string[]> {
  if (search.place.kind === 'file') return [];
  const counts = await countByFile(host, {
    ...search,
    query: ['--binary', ...search.query],
    includeIgnored: true,
    timeoutMs: AT_MOST_MS,
  });
  const view = host.ignore.view();
  const everythingWasSearched = search.includeIgnored || search.place.isIgnored;
  const ignored = everythingWasSearched
    ? []
    : counts.files.filter(({ path }) => view.isIgnored(path, 'file'));
  const binary = counts.files.filter((file) => !ignored.includes(file));
  const show = (path: string) => host.workspace.show(path);
  const remarks = nameFiles('Binary files that match', binary, { show }).slice(1);
  if (ignored.length > 0) {
    const found = ignored.reduce((sum, { count }) => sum + count, 0);
    const least = counts.stopped === null ? '' : 'at least ';
    const label = `But ${least}${countMatches(found)} ${found === 1 ? 'lies' : 'lie'} in ${plural(ignored.length, 'ignored file')}, which include_ignored would search`;
    remarks.push(...nameFiles(label, ignored, { show }).slice(1));
  }
  return remarks;
}

/**
 * Counts the files that rules hide in a place, without regard to what was searched for: a count of hidden
 * matches would tell the model, question by question, what the files contain.
 */
export async function countHidden(
  host: SearchHost,
  search: Omit<Counting, 'timeoutMs' | 'query' | 'isWanted'>,
): Promise<number> {
  const isHidden = search.hidden;
  if (!isHidden || search.place.kind === 'file') return 0;
  let hidden = 0;
  await listFiles(host, {
    ...search,
    nameSketches: [],
    timeoutMs: AT_MOST_MS,
    onFile(path) {
      if (isHidden(path)) hidden += 1;
      return true;
    },
  });
  return hidden;
}
