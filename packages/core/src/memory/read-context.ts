import { dirname, isAbsolute, resolve } from 'node:path';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { type ContextNode, type ContextState, MAX_FILE_BYTES, type Room, takeRoom } from './context-tree.js';
import { codeRanges } from './markdown-code.js';

/** The area that a context file and its imports may come from. */
export interface Realm {
  files: Pick<Files, 'open'>;
  /** Real path; nothing outside it is read, wherever links lead. */
  folder: string;
  trusted: boolean;
  imports: boolean;
  show(path: string): string;
}

/** State of a load, carried from file to file. */
export interface Loading {
  /** Real paths that the model has been given. */
  included: Set<string>;
  room: Room;
  importDepth: number;
  /** Imports that may still be read. */
  references: number;
}

/** The content of one file, found and decoded. */
interface ContextText {
  realPath: string;
  bytes: number;
  text: string;
  isCut: boolean;
}

/** A context file by its path, with its imports; null when there is none. */
export async function readContextFile(
  path: string,
  realm: Realm,
  loading: Loading,
  signal: AbortSignal,
): Promise<ContextNode | null> {
  const found = await lookFor(path, realm, signal);
  if (found === 'missing' || (typeof found !== 'string' && loading.included.has(found.realPath))) return null;
  return nodeOf(path, found, { realm, loading, signal, above: [] });
}

/** The same for a text that was read elsewhere. */
export function contextOf(
  path: string,
  found: { realPath: string; bytes: number; text: string },
  options: { realm: Realm; loading: Loading; signal: AbortSignal },
): Promise<ContextNode> {
  return nodeOf(path, { ...found, isCut: false }, { ...options, above: [] });
}

interface Descent {
  realm: Realm;
  loading: Loading;
  signal: AbortSignal;
  /** Real paths of the files that led here. */
  above: readonly string[];
}

async function nodeOf(
  path: string,
  found: ContextText | ContextState,
  descent: Descent,
): Promise<ContextNode> {
  const { realm, loading, above } = descent;
  const { trusted } = realm;
  const node: ContextNode = {
    path,
    shown: realm.show(path),
    state: 'included',
    bytes: 0,
    text: '',
    trusted,
    imports: [],
  };
  if (typeof found === 'string') return { ...node, state: found };
  node.bytes = found.bytes;
  if (above.includes(found.realPath)) return { ...node, state: 'cycle' };
  if (loading.included.has(found.realPath)) return { ...node, state: 'repeated' };
  const text = takeRoom(terminalSafe(found.text).trim(), loading.room, found.isCut);
  if (text === null) return { ...node, state: 'no-room' };
  loading.included.add(found.realPath);
  return { ...node, text, imports: realm.imports ? await importsOf(found, path, descent) : [] };
}

/** Relative to the file as it was named: a link to a file elsewhere imports from beside the link. */
async function importsOf(found: ContextText, path: string, descent: Descent): Promise<ContextNode[]> {
  const { realm, loading, signal } = descent;
  const above = [...descent.above, found.realPath];
  const nodes: ContextNode[] = [];
  for (const { written, path: named } of findImports(found.text)) {
    if (loading.references-- <= 0) break;
    const target = isAbsolute(named) ? named : resolve(dirname(path), named);
    const content = await lookFor(target, realm, signal);
    // Names of people and packages look like imports too; without a folder or an extension they are not worth a word.
    if (content === 'missing' && !/[./]/.test(named)) continue;
    const isTooDeep = above.length > loading.importDepth && typeof content !== 'string';
    const node = await nodeOf(target, isTooDeep ? 'too-deep' : content, { ...descent, above });
    nodes.push({ ...node, reference: written });
  }
  return nodes;
}

async function lookFor(path: string, realm: Realm, signal: AbortSignal): Promise<ContextText | ContextState> {
  signal.throwIfAborted();
  if (!isInside(path, realm.folder)) return 'outside';
  try {
    const file = await realm.files.open(path, signal);
    try {
      if (!isInside(file.realPath, realm.folder)) return 'outside';
      const bytes = await file.read(0, MAX_FILE_BYTES, signal);
      const isCut = file.stat.size > bytes.byteLength;
      const decoded = await decodeText(bytes);
      if (!decoded) return 'not-text';
      const text = isCut ? wholeLines(decoded.text) : decoded.text;
      return { realPath: file.realPath, bytes: file.stat.size, text, isCut };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isToolError(error)) throw error;
    return stateOf(error.code);
  }
}

/** The last line may have lost its end, and its last character a half. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1) || text.slice(0, -1);
}

function stateOf(code: string): ContextState {
  if (code === 'not_found' || code === 'invalid_params') return 'missing';
  return code === 'outside_workspace' ? 'outside' : 'refused';
}

/** An `@path` in a context file. */
interface ImportReference {
  /** The import as written, without the `@`. */
  written: string;
  path: string;
}

const REFERENCE = /(?<![^\s])@((?:\\[^\n]|[^\s\\])+)/g;
const CLOSING_PUNCTUATION = /[.,;:!?)\]}>'"*_]+$/;

/** The imports of a Markdown text: at the start of a word, outside of code and comments. `\ ` is a blank in a name. */
export function findImports(text: string): ImportReference[] {
  if (!text.includes('@')) return [];
  const ranges = codeRanges(text);
  let next = 0;
  const found = new Map<string, ImportReference>();
  for (const match of text.matchAll(REFERENCE)) {
    while (next < ranges.length && ranges[next]!.end <= match.index) next += 1;
    if (next < ranges.length && ranges[next]!.start <= match.index) continue;
    const written = match[1]!.replace(CLOSING_PUNCTUATION, '');
    const path = written.replace(/\\(.)/g, '$1');
    if (path !== '') found.set(path, { written, path });
  }
  return [...found.values()];
}
