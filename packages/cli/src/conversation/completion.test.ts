import { createToolbox, type McpPrompt, type Toolbox } from '@toolwright/core';
import { createTempWorkspace } from '@toolwright/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonStart } from './candidates.js';
import { candidatesFor } from './completion.js';
import { argumentAt } from './servers/complete.js';

const machine = createTempWorkspace({
  content: { 'src/a.ts': '', 'src/b.ts': '', 'notes.md': '', 'a b': '' },
});
let toolbox: Toolbox;
beforeAll(async () => {
  toolbox = await createToolbox({ workspace: machine.directory, stateFolder: `${machine.outside}/state` });
});
afterAll(async () => {
  await toolbox.close();
  await machine.cleanup();
});

describe('Tab', () => {
  it.each<[string, string[]]>([
    ['/m', ['mcp', 'memory', 'mode', 'model']],
    ['/un', ['undo']],
    ['/q', ['quit']],
    ['what is in @s', ['src/']],
    ['@src/', ['src/a.ts', 'src/b.ts']],
    ['@', ['a\\ b', 'notes.md', 'src/']],
    ['@a', ['a\\ b']],
    ['@a\\ ', ['a\\ b']],
    ['look at @/tm', []],
    ['plain words', []],
    ['me@example', []],
    ['/nowhere:x', []],
  ])('after %j offers %j', async (before, words) => {
    const signal = new AbortController().signal;
    expect((await candidatesFor(before, toolbox, signal)).words).toEqual(words);
  });

  it('goes on as far as there is only one way', () => {
    expect([commonStart(['mcp', 'memory', 'mode', 'model']), commonStart(['undo']), commonStart([])]).toEqual(
      ['m', 'undo', ''],
    );
  });
});

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
