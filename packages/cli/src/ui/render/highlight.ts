import type { HLJSApi } from 'highlight.js';
import { grammars } from './highlight-languages.js';
import type { Span, Style } from './line.js';

/** Longer code is shown in one colour: nobody reads it, and colouring it would hold up the keys. */
const MAX_LENGTH = 64 * 1024;

const names = new Map(
  Object.entries(grammars).flatMap(([name, { aliases }]) =>
    `${name} ${aliases}`
      .trim()
      .split(' ')
      .map((alias) => [alias, name] as const),
  ),
);
let library: Promise<HLJSApi> | undefined;
let highlighter: HLJSApi | undefined;
const loads = new Map<string, Promise<void>>();
const loaded = new Set<string>();
/** Those that are loaded, and those that can't be: nothing is to be waited for. */
const settled = new Set<string>();
let missing: Set<string> | undefined;

/** Draws, and tells which languages lack their colours: those that `loadLanguages` has not loaded yet. */
export function drawMissing<Drawn>(draw: () => Drawn): { drawn: Drawn; missing: ReadonlySet<string> } {
  const outer = missing;
  const own = new Set<string>();
  missing = own;
  try {
    return { drawn: draw(), missing: own };
  } finally {
    missing = outer;
  }
}

/** Makes `highlightCode` work for languages by their first names; until then their code is shown in one colour. */
export async function loadLanguages(wanted: Iterable<string>): Promise<void> {
  await Promise.all([...wanted].map(loadOnce));
}

function loadOnce(name: string): Promise<void> {
  const load = loads.get(name) ?? loadLanguage(name);
  loads.set(name, load);
  return load;
}

async function loadLanguage(name: string): Promise<void> {
  try {
    library ??= loadLibrary();
    const [core, grammar] = await Promise.all([library, grammars[name]?.load()]);
    if (!grammar) return;
    core.registerLanguage(name, grammar.default);
    highlighter = core;
    loaded.add(name);
  } catch {
    // A program that was replaced while it runs has no colours to load; what it shows is the same.
  } finally {
    settled.add(name);
  }
}

/** Every language begins as an empty one, so that code inside other code, such as CSS in HTML, shows what it lacks. */
async function loadLibrary(): Promise<HLJSApi> {
  const core = (await import('highlight.js/lib/core')).default.newInstance();
  for (const name of Object.keys(grammars)) core.registerLanguage(name, () => ({ contains: [] }));
  return core;
}

/**
 * The rows of a text with the colours of a language: the name of a fence or the extension of a file. Null where the language is
 * not known, the text is too long, or its grammar is not loaded.
 */
export function highlightCode(language: string, text: string): Span[][] | null {
  const name = names.get(language.toLowerCase());
  if (name === undefined || text.length > MAX_LENGTH || !isLoaded(name) || !highlighter) return null;
  const { value } = highlighter.highlight(text, { language: name, ignoreIllegals: true });
  for (const [, inner = ''] of value.matchAll(/ class="language-([\w-]+)"/g)) isLoaded(inner);
  return rowsOf(value);
}

function isLoaded(name: string): boolean {
  if (!settled.has(name)) missing?.add(name);
  return loaded.has(name);
}

/** The name `highlightCode` takes for a file. */
export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** The library writes HTML: `<span class="hljs-…">`, `</span>`, five entities, and nothing else. */
function rowsOf(html: string): Span[][] {
  const rows: Span[][] = [[]];
  const styles: Style[] = [];
  for (const [part] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part === '</span>') styles.pop();
    else if (part.startsWith('<')) styles.push(styleOf(part) ?? styles.at(-1) ?? {});
    else addText(rows, part, styles.at(-1) ?? {});
  }
  return rows;
}

function addText(rows: Span[][], part: string, style: Style): void {
  const text = part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
  for (const [index, piece] of text.split('\n').entries()) {
    if (index > 0) rows.push([]);
    if (piece !== '') rows.at(-1)?.push({ text: piece, style });
  }
}

const scopes: Readonly<Record<string, Style>> = {
  keyword: { color: 'magenta' },
  'selector-tag': { color: 'magenta' },
  string: { color: 'green' },
  regexp: { color: 'green' },
  addition: { color: 'green' },
  deletion: { color: 'red' },
  number: { color: 'yellow' },
  literal: { color: 'yellow' },
  symbol: { color: 'yellow' },
  title: { color: 'blue' },
  section: { color: 'blue', bold: true },
  name: { color: 'blue' },
  built_in: { color: 'cyan' },
  type: { color: 'cyan' },
  attr: { color: 'cyan' },
  attribute: { color: 'cyan' },
  variable: { color: 'cyan' },
  property: { color: 'cyan' },
  meta: { color: 'cyan' },
  comment: { dim: true },
  quote: { dim: true },
  subst: {},
  emphasis: { italic: true },
  strong: { bold: true },
};

function styleOf(tag: string): Style | undefined {
  return scopes[/hljs-([\w-]+)/.exec(tag)?.[1] ?? ''];
}
