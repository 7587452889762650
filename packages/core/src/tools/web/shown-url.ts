import { domainToUnicode } from 'node:url';

const LONG_URL = 300;
const MOST_CHARACTERS = 8;
const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Thai',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Cherokee',
  'Georgian',
];

/** The scripts of a text. Their patterns are made for foreign characters alone: each is slow to compile. */
function scriptsIn(text: string): string[] {
  return scripts.filter((name) => new RegExp(`\\p{Script=${name}}`, 'u').test(text));
}

/** Warnings for the user about an address, before a request goes there. */
export function remarksOn(url: URL): string[] {
  const remarks: string[] = [];
  const readable = domainToUnicode(url.hostname);
  const foreign = [...new Set(readable)].filter((character) => character > '\x7f');
  if (foreign.length > 0) {
    const listed = foreign.slice(0, MOST_CHARACTERS).map(describe).join(', ');
    const more = foreign.length > MOST_CHARACTERS ? ` and ${foreign.length - MOST_CHARACTERS} more` : '';
    remarks.push(
      `The host name reads "${readable}" but is really ${url.hostname}: it holds characters that can look like others: ${listed}${more}.`,
    );
    if (mixesScripts(readable)) remarks.push('It mixes scripts, which honest names hardly ever do.');
  }
  if (url.protocol === 'http:') remarks.push('The connection is not encrypted.');
  if (url.href.length > LONG_URL) {
    remarks.push(
      `The address is ${url.href.length} characters long: it could carry data out of this session.`,
    );
  }
  return remarks;
}

function describe(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const [script] = scriptsIn(character);
  return `${character} (U+${code}${script === undefined ? '' : `, ${script}`})`;
}

/** Within one label; Japanese and Korean names are written in several scripts. */
function mixesScripts(host: string): boolean {
  const family = new Map([
    ['Hiragana', 'Han'],
    ['Katakana', 'Han'],
    ['Hangul', 'Han'],
  ]);
  return host.split('.').some((label) => {
    const distinct = new Set(scriptsIn(label).map((name) => family.get(name) ?? name));
    if (distinct.has('Han')) distinct.delete('Latin');
    return distinct.size > 1;
  });
}
