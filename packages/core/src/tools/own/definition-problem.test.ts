import { expect, it } from 'vitest';
import { z } from 'zod';
import { definitionProblem } from './definition-problem.js';

const whole = {
  apiVersion: 1,
  name: 'greet',
  description: 'Greets.',
  parameters: { type: 'object', properties: {} },
  run: () => 'hello',
};

it.each([
  [undefined, 'expected one object with apiVersion, name, description, parameters and run, got undefined.'],
  [null, 'expected one object with apiVersion, name, description, parameters and run, got null.'],
  [{ name: 'greet' }, 'apiVersion is missing. Write apiVersion: 1.'],
  [{ ...whole, apiVersion: 2 }, 'apiVersion must be 1, got 2; this Toolwright knows version 1.'],
  [{ ...whole, name: '' }, 'name is missing.'],
  [
    { ...whole, name: 'say hello' },
    'the name "say hello" must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.',
  ],
  [{ ...whole, description: undefined }, 'greet has no description.'],
  [{ ...whole, effect: () => [] }, 'greet: unknown member effect. Did you mean effects?'],
  [{ ...whole, inputSchema: {} }, 'greet: unknown member inputSchema. Did you mean parameters?'],
  [{ ...whole, execute: () => 'hello' }, 'greet: unknown member execute. Did you mean run?'],
  [
    { ...whole, icon: 'smile' },
    'greet: unknown member icon. Members are apiVersion, name, description, parameters, run, displayName, timeout, isRepeatable, describe, problem, effects, confirm, changes.',
  ],
  [{ ...whole, effects: [] }, 'greet: effects must be a function.'],
  [{ ...whole, confirm: true }, 'greet: confirm must be a function.'],
  [{ ...whole, describe: 'Greet' }, 'greet: describe must be a function.'],
  [{ ...whole, timeout: '5s' }, 'greet: timeout must be a number of milliseconds.'],
  [
    { ...whole, parameters: { city: z.string() } },
    'greet: parameters are fields without an object around them. Write z.object({ … }).',
  ],
  [{ ...whole, run: undefined }, 'greet needs run or changes.'],
])('a definition that can not have been meant is refused: %j', (definition, problem) => {
  expect(definitionProblem(definition)).toBe(problem);
});

it('a whole definition has no problem', () => {
  expect(definitionProblem(whole)).toBeNull();
  expect(definitionProblem({ ...whole, parameters: z.object({ city: z.string() }) })).toBeNull();
});
