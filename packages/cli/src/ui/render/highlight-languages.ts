import type { LanguageFn } from 'highlight.js';

export interface Grammar {
  /** Other names of the language, with blanks between them: those of fences and extensions of files. */
  aliases: string;
  load(): Promise<{ default: LanguageFn }>;
}

/** The languages people show to each other. Each grammar is a chunk of its own, which is loaded when something in its language is drawn. */
export const grammars: Readonly<Record<string, Grammar>> = {
  bash: { aliases: 'sh zsh console', load: () => import('highlight.js/lib/languages/bash') },
  c: { aliases: 'h', load: () => import('highlight.js/lib/languages/c') },
  cpp: {
    aliases: 'cc c++ h++ hpp hh hxx cxx',
    load: () => import('highlight.js/lib/languages/cpp'),
  },
  csharp: { aliases: 'cs c#', load: () => import('highlight.js/lib/languages/csharp') },
  css: { aliases: '', load: () => import('highlight.js/lib/languages/css') },
  diff: { aliases: 'patch', load: () => import('highlight.js/lib/languages/diff') },
  dockerfile: { aliases: 'docker', load: () => import('highlight.js/lib/languages/dockerfile') },
  go: { aliases: 'golang', load: () => import('highlight.js/lib/languages/go') },
  ini: { aliases: 'toml', load: () => import('highlight.js/lib/languages/ini') },
  java: { aliases: 'jsp', load: () => import('highlight.js/lib/languages/java') },
  javascript: {
    aliases: 'js jsx mjs cjs',
    load: () => import('highlight.js/lib/languages/javascript'),
  },
  json: { aliases: 'jsonc json5', load: () => import('highlight.js/lib/languages/json') },
  kotlin: { aliases: 'kt kts ktm ktx', load: () => import('highlight.js/lib/languages/kotlin') },
  lua: { aliases: 'pluto', load: () => import('highlight.js/lib/languages/lua') },
  makefile: { aliases: 'mk mak make', load: () => import('highlight.js/lib/languages/makefile') },
  markdown: { aliases: 'md mkdown mkd', load: () => import('highlight.js/lib/languages/markdown') },
  perl: { aliases: 'pl pm', load: () => import('highlight.js/lib/languages/perl') },
  php: { aliases: '', load: () => import('highlight.js/lib/languages/php') },
  python: { aliases: 'py gyp ipython', load: () => import('highlight.js/lib/languages/python') },
  ruby: {
    aliases: 'rb gemspec podspec thor irb',
    load: () => import('highlight.js/lib/languages/ruby'),
  },
  rust: { aliases: 'rs', load: () => import('highlight.js/lib/languages/rust') },
  scss: { aliases: '', load: () => import('highlight.js/lib/languages/scss') },
  sql: { aliases: '', load: () => import('highlight.js/lib/languages/sql') },
  swift: { aliases: '', load: () => import('highlight.js/lib/languages/swift') },
  typescript: {
    aliases: 'ts tsx mts cts',
    load: () => import('highlight.js/lib/languages/typescript'),
  },
  xml: {
    aliases: 'html xhtml rss atom xjb xsd xsl plist wsf svg',
    load: () => import('highlight.js/lib/languages/xml'),
  },
  yaml: { aliases: 'yml', load: () => import('highlight.js/lib/languages/yaml') },
};
