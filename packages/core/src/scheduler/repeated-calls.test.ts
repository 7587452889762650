import { expect, it } from 'vitest';
import { createRepeatedCalls } from './repeated-calls.js';

const call = (output: string, path = 'a', changed = false) => ({
  tool: 'look',
  arguments: { path, limit: 1 },
  response: { output },
  changed,
});

/** For each result of the same call: does its response get a note, and is the model stuck? */
function counted(outputs: string[], repeated = createRepeatedCalls()) {
  return outputs.map((output) => [repeated.noteOn(call(output)) !== null, repeated.isStuck]);
}

it('the model is told at the third time, and is stuck at the sixth', () => {
  expect(counted(Array.from({ length: 6 }, () => 'same'))).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
});

it('arguments in another order are the same call', () => {
  const repeated = createRepeatedCalls();
  for (let time = 0; time < 6; time++)
    repeated.noteOn(time % 2 ? call('same') : { ...call('same'), arguments: { limit: 1, path: 'a' } });
  expect(repeated.isStuck).toBe(true);
});

it('a call whose result changes goes on, and so does one with other arguments', () => {
  const polling = Array.from({ length: 50 }, (_, index) => `${index} % done`);
  expect(counted(polling).flat()).not.toContain(true);
  const repeated = createRepeatedCalls();
  for (let index = 0; index < 50; index++) expect(repeated.noteOn(call('same', `${index}`))).toBeNull();
});

it('two results in turns are a loop, too', () => {
  const results = Array.from({ length: 12 }, (_, index) => (index % 2 ? 'one' : 'other'));
  expect(counted(results).at(-1)).toEqual([true, true]);
});

it('counting starts afresh when something was changed', () => {
  const repeated = createRepeatedCalls();
  for (let time = 0; time < 6; time++) repeated.noteOn(call('same'));
  repeated.noteOn(call('written', 'b', true));
  expect(repeated.isStuck).toBe(false);
  expect(repeated.noteOn(call('same'))).toBeNull();
});
