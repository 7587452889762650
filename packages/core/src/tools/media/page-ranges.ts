/** Both ends included, counted from 1; Infinity: to the last page. */
export type PageRange = readonly [first: number, last: number];

/** Ranges from words like "1-5,8,12-"; or a problem as text. */
export function parsePageRanges(text: string): PageRange[] | string {
  const ranges: PageRange[] = [];
  for (const piece of text.split(',').map((word) => word.trim())) {
    const found = /^(?<first>\d{1,7})(?<dash>\s*-\s*(?<last>\d{1,7})?)?$/.exec(piece)?.groups;
    if (!found) return `pages: "${piece.slice(0, 40)}" is neither a page nor a range. Write it like "1-5,8".`;
    const first = Number(found['first']);
    const last = found['dash'] === undefined ? first : Number(found['last'] ?? Number.POSITIVE_INFINITY);
    if (first === 0 || last < first) {
      return `pages: "${piece}" is not a range. Pages count from 1 and ranges go upwards, like "1-5,8".`;
    }
    ranges.push([first, last]);
  }
  return ranges;
}

/** The short way to write ascending page numbers: "1-5,8". */
export function showPages(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range && page === range[1] + 1) range[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
