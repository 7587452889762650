import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const { messageLists } = await import(new URL('./lists.mjs', import.meta.url).href);
const { sentencesIn } = await import(new URL('./sentences.mjs', import.meta.url).href);
const lists: Map<string, string> = messageLists();
const root = new URL('../../', import.meta.url);

it.each([...lists])('%s holds what the package can say now', (path, list) => {
  const kept = existsSync(new URL(path, root)) ? readFileSync(new URL(path, root), 'utf8') : '';
  const keptLines = kept.split('\n');
  const differing = list.split('\n').find((line, index) => line !== keptLines[index]);
  const advice = `${path} is stale, first at the line ${JSON.stringify(differing)}. Run npm run messages and read its diff aloud.`;
  expect(kept === list, advice).toBe(true);
});

describe('the sentences of a source file', () => {
  it.each<[string, string, string[]]>([
    ['a sentence', "say('Nothing was kept.');", ['Nothing was kept.']],
    ['one word that ends like one', "say('Cancelled.');", ['Cancelled.']],
    [
      'a template with the names of its values',
      `say(\`\${path} is gone: \${error.message}.\`);`,
      ['{path} is gone: {message}.'],
    ],
    [
      'counts and lists',
      `say(\`\${plural(n, 'file')} changed: \${names.join(', ')}\`);`,
      ['{n files} changed: {names}'],
    ],
    ['what is joined', "say('Nothing was kept: ' + why);", ['Nothing was kept: {why}']],
    [
      'texts inside of values',
      `say(\`It ends\${isLate ? ' after the limit' : ''}.\`);`,
      ['It ends{…}.', ' after the limit'],
    ],
    ['text of a page', 'const view = <p className="one two">No prompt yet</p>;', ['No prompt yet']],
    ['names, keys and types', "import x from 'two words'; type A = 'a type here'; find('name');", []],
    [
      'lists of names and words that are looked for',
      "const a = wordSet('vi vim nvim'); const b = 'html body main'.split(' '); text.includes('left on the disk'); add({ words: ['left on device'] });",
      [],
    ],
    [
      'what stands beside a list of names',
      "add(sameFor('cmake ninja', build('runs a build')));",
      ['runs a build'],
    ],
    ['commands and markup', "run('ls -l | wc'); draw('<p class=x>one two</p>');", []],
  ])('has %s', (_what, source, expected) => {
    expect(sentencesIn(source, 'source.tsx')).toEqual(expected);
  });
});
