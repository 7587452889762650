import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from '../house/read-sources.mjs';
import { root } from '../setup.mjs';
import { sentencesIn } from './sentences.mjs';

/** Lists the messages of each package, file by file, by the path of the list. */
export function messageLists() {
  return new Map(
    readdirSync(join(root, 'packages')).map((name) => [`packages/${name}/messages.txt`, listOf(name)]),
  );
}

function listOf(name) {
  const source = join(root, 'packages', name, 'src');
  const files = readdirSync(source, { recursive: true }).filter(
    (path) => /\.tsx?$/.test(path) && !isTest(path) && !/(^|\/)testing\//.test(path),
  );
  return files
    .sort()
    .map((path) => [path, sentencesIn(readFileSync(join(source, path), 'utf8'), path)])
    .filter(([, sentences]) => sentences.length > 0)
    .map(([path, sentences]) => `${path}\n${sentences.map((text) => `  ${onOneLine(text)}\n`).join('')}`)
    .join('\n');
}

function onOneLine(text) {
  return text.replaceAll('\n', '⏎').replace(/\p{Cc}/gu, ' ');
}
