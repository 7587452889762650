/** A place in a text; both numbers count from 1. */
export interface JsonPosition {
  line: number;
  column: number;
}

/** JSON with comments and trailing commas; every value carries its position in the text. */
export type JsonNode = { at: JsonPosition } & (
  | { type: 'object'; entries: JsonEntry[] }
  | { type: 'array'; items: JsonNode[] }
  | { type: 'string'; value: string }
  | { type: 'number'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'null'; value: null }
);

export interface JsonEntry {
  name: string;
  at: JsonPosition;
  value: JsonNode;
}

/** The plain value of a node. If a key stands twice, the last one counts. */
export function plainValue(node: JsonNode): unknown {
  if (node.type === 'array') return node.items.map(plainValue);
  if (node.type === 'object')
    return Object.fromEntries(node.entries.map(({ name, value }) => [name, plainValue(value)]));
  return node.value;
}
