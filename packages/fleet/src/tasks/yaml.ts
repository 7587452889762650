import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { SourceEntry, TextPieces } from './source-row.js';

// The reader of YAML holds the whole text, and a tree of it many times as large.
const MOST_CHARACTERS = 4_000_000;
const tooLarge =
  'a YAML file of tasks may have 4 MB at most. Write them as JSON lines or CSV, which may be of any size';

/** Reads a list of objects. */
export async function* readYaml(pieces: TextPieces): AsyncGenerator<SourceEntry> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MOST_CHARACTERS) return yield { fault: { line: 1, column: 1, message: tooLarge } };
  }
  yield* entriesOf(text);
}

function entriesOf(text: string): SourceEntry[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const placeAt = (offset: number): { line: number; column: number } => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return document.errors.map((error) => {
      const message = error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
      return { fault: { ...placeAt(error.pos[0]), message } };
    });
  const { contents } = document;
  if (!isSeq(contents)) return [{ fault: { line: 1, column: 1, message: 'expected a list of tasks' } }];
  return contents.items.map((item): SourceEntry => {
    const start = (item as { range?: [number, number, number] }).range?.[0] ?? 0;
    const placeOf = (field: string | null): { line: number; column: number } => {
      const pair = isMap(item)
        ? item.items.find(({ key }) => isScalar(key) && key.value === field?.split('.')[0])
        : undefined;
      return placeAt((pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0] ?? start);
    };
    return { row: { value: (item as { toJSON(): unknown }).toJSON(), placeOf } };
  });
}
