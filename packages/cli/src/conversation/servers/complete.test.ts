import type { McpPrompt } from '@toolwright/core/front-end';
import { expect, it } from 'vitest';
import { argumentAt } from './complete.js';

const argument = (name: string) => ({ name, description: '', required: false });
const prompt: McpPrompt = { name: 'p', title: '', description: '', arguments: ['a', 'b'].map(argument) };

it.each<[string, ReturnType<typeof argumentAt>]>([
  ['', { argument: 'a', typed: '', others: {} }],
  ['x', { argument: 'a', typed: 'x', others: {} }],
  ['x y', { argument: 'b', typed: 'y', others: { a: 'x' } }],
  ['b=1 x', { argument: 'a', typed: 'x', others: { b: '1' } }],
  ['x b=y', { argument: 'b', typed: 'y', others: { a: 'x' } }],
  ['x y z', { argument: undefined, typed: 'z', others: { a: 'x', b: 'y' } }],
])('after %j the argument to complete is %j', (rest, expected) => {
  expect(argumentAt(prompt, rest)).toEqual(expected);
});
