import type { McpPrompt } from '@toolwright/core/front-end';
import { expect, it } from 'vitest';
import { meaningOf } from '../../app/line-meaning.js';
import { argumentsOf, promptUsage } from './prompts.js';

const prompt: McpPrompt = {
  name: 'review',
  title: '',
  description: '',
  arguments: [
    { name: 'file', description: '', required: true },
    { name: 'style', description: '', required: false },
  ],
};

it.each<[string, Record<string, string> | string]>([
  ['a.ts', { file: 'a.ts' }],
  ['a.ts short and kind', { file: 'a.ts', style: 'short and kind' }],
  ['style=short a.ts', { file: 'a.ts', style: 'short' }],
  ['file="a b.ts" \'very short\'', { file: 'a b.ts', style: 'very short' }],
  ['x=1', { file: 'x=1' }],
  ['', 'It needs file.'],
  ['style=short', 'It needs file.'],
  ['file=a style=b c d', 'Unexpected: c d.'],
])('%j after the name of a prompt gives %j', (rest, expected) => {
  expect(argumentsOf(prompt, rest)).toEqual(expected);
});

it('the usage of a prompt names its arguments, and which may be left out', () => {
  expect(promptUsage('git', prompt)).toBe('/git:review file=… [style=…]');
});

it.each([
  ['/git:review a.ts', { kind: 'server-prompt', server: 'git', prompt: 'review', rest: 'a.ts' }],
  ['/my.server:Do-It', { kind: 'server-prompt', server: 'my.server', prompt: 'Do-It', rest: '' }],
  ['/http://x', { kind: 'prompt', text: '/http://x' }],
  ['/mcp accept git', { kind: 'slash', name: 'mcp', rest: 'accept git' }],
])('%j means %j', (line, meaning) => {
  expect(meaningOf(line)).toEqual(meaning);
});
