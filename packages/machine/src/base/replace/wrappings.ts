/** Old and new text with what a listing or a serialiser wrapped around them taken off. */
export interface Unwrapped {
  oldText: string;
  newText: string;
}

/** Separators between number and line: listings with arrows, tabs and bars, search results, compiler output. */
const separators = ['→', '\\t', ' \\| ', '\\| ', '\\|', '[:-] ', '[:-]'];

/** One reading for each form of line number that every line of the old text carries, counting up by one. */
export function withoutLineNumbers({ oldText, newText }: Unwrapped): Unwrapped[] {
  const found: Unwrapped[] = [];
  for (const separator of separators) {
    const prefix = new RegExp(`^[ \\t]*(\\d{1,9})${separator}`);
    const oldLines = stripped(oldText, prefix);
    if (!oldLines || !countsUp(oldLines.numbers)) continue;
    const newLines = stripped(newText, prefix);
    // Numbers on some lines only: writing them would put them into the file.
    if (!newLines && newText.split('\n').some((line) => prefix.test(line))) continue;
    found.push({ oldText: oldLines.text, newText: newLines?.text ?? newText });
  }
  return found;
}

function stripped(text: string, prefix: RegExp): { text: string; numbers: number[] } | null {
  const complete = text.endsWith('\n');
  const lines = (complete ? text.slice(0, -1) : text).split('\n');
  const numbers: number[] = [];
  const rest: string[] = [];
  for (const line of lines) {
    const match = prefix.exec(line);
    if (!match) return null;
    numbers.push(Number(match[1]));
    rest.push(line.slice(match[0].length));
  }
  return { text: rest.join('\n') + (complete ? '\n' : ''), numbers };
}

function countsUp(numbers: number[]): boolean {
  return numbers.every((number, index) => number === numbers[0]! + index);
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  "'": "'",
  '`': '`',
  '\\': '\\',
};

/** Both texts with one level of backslash escapes taken off; null when there is none in the old text. */
export function withoutEscapes({ oldText, newText }: Unwrapped): Unwrapped | null {
  const plain = unescapeOnce(oldText);
  return plain === oldText ? null : { oldText: plain, newText: unescapeOnce(newText) };
}

function unescapeOnce(text: string): string {
  return text.replace(/\\([ntr"'`\\])/g, (_whole, character: string) => escapes[character] ?? character);
}
