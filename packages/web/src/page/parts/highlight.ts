import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = {
  bash,
  c,
  cpp,
  css,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language);
core.registerAliases(['mts', 'cts', 'tsx'], { languageName: 'typescript' });

export interface Piece {
  text: string;
  /** The kind of word, as a class; empty for the rest. */
  scope: string;
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};
const LONGEST = 500;

/** The pieces of one line in the colours of a language; null where that is not known. */
export function piecesOf(line: string, language: string): Piece[] | null {
  if (line.length > LONGEST || !core.getLanguage(language)) return null;
  const scopes: string[] = [];
  const pieces: Piece[] = [];
  // The library writes spans, five entities and nothing else; they become pieces of text again.
  for (const [part] of core
    .highlight(line, { language, ignoreIllegals: true })
    .value.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part === '</span>') scopes.pop();
    else if (part.startsWith('<')) scopes.push(/hljs-([\w-]+)/.exec(part)?.[1] ?? '');
    else
      pieces.push({
        text: part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity),
        scope: scopes.at(-1) ?? '',
      });
  }
  return pieces;
}
