/** The candidates closest to a mistyped word, best first; empty when nothing is near. */
export function nearest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = fold(word);
  return [...candidates]
    .map((candidate) => ({ candidate, distance: distanceBetween(wanted, fold(candidate)) }))
    .filter(({ distance, candidate }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.distance - right.distance || left.candidate.localeCompare(right.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** The question that follows a name nobody knows; empty when nothing is near it. */
export function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}?`;
}

/** The same inside a sentence: ` (did you mean read?)`. */
export function ifMeant(near: readonly string[]): string {
  return near.length === 0 ? '' : ` (${didYouMean(near).replace('Did', 'did')})`;
}

function fold(word: string): string {
  return word
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
}

/** Edit distance; a word contained in the other counts as near. */
function distanceBetween(left: string, right: string): number {
  if (left.length >= 4 && right.length >= 4 && (left.includes(right) || right.includes(left))) return 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[right.length]!;
}
