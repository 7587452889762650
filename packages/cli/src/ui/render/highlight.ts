import type { highlighter as Highlighter } from './highlight-languages.js';
import type { Span, Style } from './line.js';

/** Longer code is shown in one colour: nobody reads it, and colouring it would hold up the keys. */
const MAX_LENGTH = 64 * 1024;

let library: typeof Highlighter | null = null;
let loading: Promise<void> | null = null;
let isSettled = false;

/** Makes `highlightCode` work; until then code is shown in one colour. */
export function loadHighlighting(): Promise<void> {
  loading ??= import('./highlight-languages.js')
    .then(
      ({ highlighter }) => void (library = highlighter),
      // A program that was replaced while it runs has no colours to load; what it shows is the same.
      () => undefined,
    )
    .then(() => void (isSettled = true));
  return loading;
}

/** True once nothing is to be waited for: the colours are loaded, or can't be. */
export function isHighlightingSettled(): boolean {
  return isSettled;
}

/**
 * The rows of a text with the colours of a language: the name of a fence or the extension of a file. Null where the language is
 * not known, the text is too long, or nothing is loaded yet.
 */
export function highlightCode(language: string, text: string): Span[][] | null {
  if (!library || text.length > MAX_LENGTH || !library.getLanguage(language)) return null;
  return rowsOf(library.highlight(text, { language, ignoreIllegals: true }).value);
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
