/** Walks JSON of unknown shape without tripping: what is not there reads as empty. */
export interface JsonReader {
  at(...path: (string | number)[]): JsonReader;
  readonly text: string;
  readonly number: number;
  readonly list: JsonReader[];
}

export function readerOf(value: unknown): JsonReader {
  return {
    at: (...path) =>
      readerOf(
        path.reduce<unknown>(
          (inner, key) =>
            typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
              ? (inner as Record<string | number, unknown>)[key]
              : undefined,
          value,
        ),
      ),
    text: typeof value === 'string' ? value : '',
    number: typeof value === 'number' ? value : Number.NaN,
    get list() {
      return Array.isArray(value) ? value.map(readerOf) : [];
    },
  };
}
