import { head } from '@toolwright/machine/base/truncate.js';

/** Why an import is not there, or that it is. */
export type ContextState =
  | 'included'
  | 'repeated'
  | 'cycle'
  | 'missing'
  | 'outside'
  | 'too-deep'
  | 'not-text'
  | 'refused'
  | 'no-room';

/** A context file, or a file that one imports. */
export interface ContextNode {
  /** The text after the `@`; a file found by its name has none. */
  reference?: string;
  path: string;
  /** The path as people and models read it. */
  shown: string;
  state: ContextState;
  /** The size on disk. */
  bytes: number;
  /** The text the model gets: bounded, with hidden characters made visible. */
  text: string;
  /** The name of the file that it counts in place of: its folder has none. */
  inPlaceOf?: string;
  /** True if its words count as instructions. */
  trusted: boolean;
  imports: ContextNode[];
}

/** Lists the files of a tree that have text, each before the ones it imports. */
export function includedNodes(nodes: readonly ContextNode[]): ContextNode[] {
  return nodes.flatMap((node) =>
    node.state === 'included' ? [node, ...includedNodes(node.imports)] : includedNodes(node.imports),
  );
}

/** Room left in this session for more context. */
export interface Room {
  bytes: number;
  files: number;
}

export const MAX_FILE_BYTES = 64 * 1024;
const SMALLEST_PIECE = 512;

/** Takes as much of a text as there is room for, with a notice where something is left out; null when nothing fits. */
export function takeRoom(text: string, room: Room, isCut: boolean): string | null {
  const maxBytes = Math.min(MAX_FILE_BYTES, room.bytes);
  const bounded = head(text, { maxBytes, maxLines: Number.MAX_SAFE_INTEGER });
  if (room.files === 0 || (bounded.truncated && maxBytes < SMALLEST_PIECE)) return null;
  room.files -= 1;
  room.bytes -= Buffer.byteLength(bounded.text);
  if (!bounded.truncated && !isCut) return bounded.text;
  return `${bounded.text.trimEnd()}\n[Cut here for its size: only ${bounded.shown} of this file are included.]`;
}
