/** A list of words, written as one text. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter(Boolean));
}

/** One entry of a table for several names. */
export function sameFor<Entry>(names: string, entry: Entry): Record<string, Entry> {
  return Object.fromEntries(names.split(' ').map((name) => [name, entry]));
}
