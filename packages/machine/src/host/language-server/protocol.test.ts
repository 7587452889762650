import { expect, it } from 'vitest';
import { answerTo } from './protocol.js';

const settings = { python: { pythonPath: '/w/.venv/bin/python', analysis: { strict: true } }, 'a.b': 1 };

it.each([
  [{ section: 'python' }, settings.python],
  [{ section: 'python.pythonPath' }, '/w/.venv/bin/python'],
  [{ scopeUri: 'file:///w', section: 'python.analysis' }, { strict: true }],
  [{ section: 'a.b' }, 1],
  [{ section: 'pyright' }, null],
  [{ section: 'python.analysis.strict.more' }, null],
  [{}, settings],
])('a server that asks for %j of its configuration gets that part of the settings', (item, part) => {
  const folders = [{ uri: 'file:///w' }];
  expect(answerTo('workspace/configuration', { items: [item] }, { folders, settings })).toEqual([part]);
});
