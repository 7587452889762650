import { pathToFileURL } from 'node:url';
import { plural } from '@toolwright/machine/base/amounts.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { LanguageServer } from '@toolwright/machine/host/language-server/language-server.js';
import {
  type LspLocation,
  type LspPosition,
  listIn,
  locationIn,
  pathIn,
  rangeIn,
} from '@toolwright/machine/host/language-server/protocol.js';

/** A question about a name in a file. */
export interface NamedPlace {
  server: Pick<LanguageServer, 'request'>;
  path: string;
  position: LspPosition;
  signal: AbortSignal;
}

/** Words places for the model. */
export interface PlaceWords {
  show(path: string): string;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  readText(path: string, signal: AbortSignal): Promise<string | null>;
}

const MOST_PLACES = 100;
const MOST_LINE = 200;
const MOST_HOVER = 4_000;

function about({ path, position }: Pick<NamedPlace, 'path' | 'position'>): JsonObject {
  return { textDocument: { uri: pathToFileURL(path).href }, position };
}

export async function definitionOf(place: NamedPlace, words: PlaceWords): Promise<string> {
  const found = await place.server.request('textDocument/definition', about(place), place.signal);
  return describePlaces(
    listIn(found).flatMap((each) => locationIn(each) ?? []),
    words,
    place.signal,
  );
}

export async function referencesOf(place: NamedPlace, words: PlaceWords): Promise<string> {
  const params = { ...about(place), context: { includeDeclaration: true } };
  const found = await place.server.request('textDocument/references', params, place.signal);
  return describePlaces(
    listIn(found).flatMap((each) => locationIn(each) ?? []),
    words,
    place.signal,
  );
}

export async function hoverOf(place: NamedPlace): Promise<string> {
  const found = await place.server.request('textDocument/hover', about(place), place.signal);
  const text = markupIn(isJsonObject(found) ? found['contents'] : null).trim();
  return text === '' ? 'The server knows nothing about this name.' : text.slice(0, MOST_HOVER);
}

function markupIn(contents: unknown): string {
  if (typeof contents === 'string') return contents;
  if (Array.isArray(contents)) return contents.map(markupIn).join('\n');
  return isJsonObject(contents) && typeof contents['value'] === 'string' ? contents['value'] : '';
}

/** Lists the callers of a function, and the functions it calls. */
export async function callsOf(place: NamedPlace, words: PlaceWords): Promise<string> {
  const { server, signal } = place;
  const [item] = listIn(await server.request('textDocument/prepareCallHierarchy', about(place), signal));
  if (!isJsonObject(item)) return 'There is no function at this place.';
  const incoming = listIn(await server.request('callHierarchy/incomingCalls', { item }, signal));
  // Some servers know the callers alone.
  const outgoing = listIn(
    await server.request('callHierarchy/outgoingCalls', { item }, signal).catch(() => []),
  );
  const lines = (calls: unknown[], end: 'from' | 'to'): string[] =>
    calls
      .flatMap((call) => (isJsonObject(call) ? [callLine(call[end], words)] : []))
      .filter((line) => line !== '');
  const [callers, callees] = [lines(incoming, 'from'), lines(outgoing, 'to')];
  return [
    callers.length > 0 ? `Called by:\n${bounded(callers)}` : 'Called by nothing that the server knows.',
    callees.length > 0 ? `Calls:\n${bounded(callees)}` : 'Calls nothing that the server knows.',
  ].join('\n');
}

function callLine(item: unknown, { show, hidden }: PlaceWords): string {
  if (!isJsonObject(item)) return '';
  const [path, range] = [pathIn(item['uri']), rangeIn(item['selectionRange'])];
  if (path === null || range === null || hidden(path)) return '';
  return `${foreignText(show(path))}:${range.start.line + 1}: ${foreignText(String(item['name']), MOST_LINE)}`;
}

/** The names that a file declares, as a tree. */
export async function symbolsOf({
  server,
  path,
  signal,
}: Pick<NamedPlace, 'server' | 'path' | 'signal'>): Promise<string> {
  const params = { textDocument: { uri: pathToFileURL(path).href } };
  const found = listIn(await server.request('textDocument/documentSymbol', params, signal));
  const lines = found.flatMap((symbol) => symbolLines(symbol, 0));
  return lines.length === 0 ? 'The server finds no names here.' : bounded(lines);
}

function symbolLines(symbol: unknown, depth: number): string[] {
  if (!isJsonObject(symbol)) return [];
  const { name, kind, children, range, location } = symbol;
  const place = rangeIn(range) ?? (isJsonObject(location) ? rangeIn(location['range']) : null);
  const own = `${'  '.repeat(depth)}${(place?.start.line ?? 0) + 1}: ${kindName(kind)} ${foreignText(String(name), MOST_LINE)}`;
  return [own, ...listIn(children).flatMap((child) => symbolLines(child, depth + 1))];
}

/** Names of the whole folder that contain a text. */
export async function searchSymbols(
  server: Pick<LanguageServer, 'request'>,
  query: string,
  { words, signal }: { words: PlaceWords; signal: AbortSignal },
): Promise<string[]> {
  const found = listIn(await server.request('workspace/symbol', { query }, signal));
  return found.flatMap((symbol) => {
    const place = isJsonObject(symbol) ? locationIn(symbol['location']) : null;
    if (!isJsonObject(symbol) || !place || words.hidden(place.path)) return [];
    const name = `${kindName(symbol['kind'])} ${foreignText(String(symbol['name']), MOST_LINE)}`;
    return [`${foreignText(words.show(place.path))}:${place.range.start.line + 1}: ${name}`];
  });
}

const kindNames = [
  ...['file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor'],
  ...['enum', 'interface', 'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array'],
  ...['object', 'key', 'null', 'member', 'struct', 'event', 'operator', 'type'],
];

function kindName(kind: unknown): string {
  return (typeof kind === 'number' && kindNames[kind - 1]) || 'name';
}

export function bounded(lines: readonly string[]): string {
  const more = lines.length - MOST_PLACES;
  return [...lines.slice(0, MOST_PLACES), ...(more > 0 ? [`and ${more} more.`] : [])].join('\n');
}

async function describePlaces(
  places: readonly LspLocation[],
  { show, hidden, readText }: PlaceWords,
  signal: AbortSignal,
): Promise<string> {
  const visible = places.filter(({ path }) => !hidden(path));
  if (visible.length === 0) return 'The server knows no such place.';
  const texts = new Map<string, string[]>();
  const lines: string[] = [];
  for (const { path, range } of visible) {
    if (!texts.has(path)) texts.set(path, ((await readText(path, signal)) ?? '').split(/\r\n|\r|\n/));
    const { line, character } = range.start;
    const text = texts.get(path)?.[line]?.trim() ?? '';
    lines.push(
      `${foreignText(show(path))}:${line + 1}:${character + 1}: ${text.slice(0, MOST_LINE)}`.trimEnd(),
    );
  }
  const files = new Set(visible.map(({ path }) => path)).size;
  const head = visible.length > 1 ? [`${plural(visible.length, 'place')} in ${plural(files, 'file')}:`] : [];
  return [...head, bounded(lines)].join('\n');
}
