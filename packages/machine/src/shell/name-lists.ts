/** A list of words, written as one text. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter(Boolean));
}

/** Gives several names the same entry of a table. */
export function sameFor<Entry>(names: string, entry: Entry): Record<string, Entry> {
  return Object.fromEntries(names.split(' ').map((name) => [name, entry]));
}
