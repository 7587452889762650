import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { SourceRow, SourceRows } from './source-row.js';

/** A list of objects. */
export function readYaml(text: string): SourceRows {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const placeAt = (offset: number): { line: number; column: number } => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return {
      rows: [],
      faults: document.errors.map((error) => ({
        ...placeAt(error.pos[0]),
        message: error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, ''),
      })),
    };
  const { contents } = document;
  if (!isSeq(contents))
    return { rows: [], faults: [{ line: 1, column: 1, message: 'expected a list of tasks' }] };
  const rows = contents.items.map((item): SourceRow => {
    const start = (item as { range?: [number, number, number] }).range?.[0] ?? 0;
    return {
      value: (item as { toJSON(): unknown }).toJSON(),
      placeOf(field) {
        const pair = isMap(item)
          ? item.items.find(({ key }) => isScalar(key) && key.value === field?.split('.')[0])
          : undefined;
        return placeAt((pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0] ?? start);
      },
    };
  });
  return { rows, faults: [] };
}
