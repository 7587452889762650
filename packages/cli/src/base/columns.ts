const USUAL = 80;
const LEAST = 20;

/** The width of a terminal; one that was opened by a program may not know its own, and tells 0. */
export function columnsOf({ columns }: { columns?: number | undefined }): number {
  return Math.max(LEAST, columns || USUAL);
}
