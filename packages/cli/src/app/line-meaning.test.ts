import { expect, it } from 'vitest';
import { meaningOf } from './line-meaning.js';

it.each([
  ['list src', { kind: 'prompt', text: 'list src' }],
  ['/help', { kind: 'slash', name: 'help', rest: '' }],
  ['/UNDO  abc def', { kind: 'slash', name: 'undo', rest: 'abc def' }],
  ['/?', { kind: 'slash', name: '?', rest: '' }],
  ['/etc/hosts: what is it?', { kind: 'prompt', text: '/etc/hosts: what is it?' }],
  ['/demo: what=x', { kind: 'server-prompt', server: 'demo', prompt: '', rest: 'what=x' }],
  ['/ what', { kind: 'prompt', text: '/ what' }],
  ['!npm test', { kind: 'shell', command: 'npm test' }],
  ['! ls\nwc -l', { kind: 'shell', command: 'ls\nwc -l' }],
  ['!', { kind: 'prompt', text: '!' }],
  ['what! no', { kind: 'prompt', text: 'what! no' }],
])('%j means %j', (line, meaning) => {
  expect(meaningOf(line)).toEqual(meaning);
});
