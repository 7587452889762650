const MOST = 64;

/** The words of `{a,b}` and `{1..3}` with nothing nested or quoted inside; null for all others. */
export function braceAlternatives(text: string): string[] | null {
  const range = /^\{(-?\d{1,4})\.\.(-?\d{1,4})\}$/.exec(text);
  if (range) return countFromTo(range[1]!, range[2]!);
  const inner = /^\{([\w.*?/:@%+,-]*)\}$/.exec(text)?.[1];
  if (inner === undefined || !inner.includes(',')) return null;
  const parts = inner.split(',');
  return parts.length > MOST ? null : parts;
}

function countFromTo(first: string, last: string): string[] | null {
  // Leading zeros would pad every number.
  if (/^-?0\d/.test(first) || /^-?0\d/.test(last)) return null;
  const [from, to] = [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (count > MOST) return null;
  return Array.from({ length: count }, (_, index) => String(from + (to < from ? -index : index)));
}
