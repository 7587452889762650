import { expect, it } from 'vitest';
import { missedBy } from './fixtures/routes.js';

it('a file counts as run behind more imports than are followed', async () => {
  const files: Record<string, string> = { 'last.js': '' };
  for (let at = 0; at < 2_100; at++) files[`m${at}.js`] = `import './m${at + 1}.js'`;
  files['m2099.js'] = "import './last.js'";
  expect(await missedBy({ files, words: ['node', 'm0.js'], runs: ['last.js'] })).toEqual([]);
}, 60_000);
