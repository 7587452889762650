import { expect, it } from 'vitest';
import { validate, withinTime } from './json-schema.js';

/** Acts as a stalled machine: time passes, and this process uses no processor. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A value whose one member takes a while to look at. */
function slowToRead(name: string, value: string): object {
  return Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      stall(400);
      return value;
    },
  });
}

const endless = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };

it('a pattern that would try for years is given up, and said', () => {
  expect(validate(endless, { a: `${'a'.repeat(40)}!` })).toBe(
    "The tool's parameter schema can't be used: it takes more than 250 ms to check a value against its patterns",
  );
});

it('a pattern for the names of members is ended in time, too', () => {
  const schema = { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } };
  expect(validate(schema, { [`${'a'.repeat(40)}!`]: 'x' })).toContain('more than 250 ms');
});

it('patterns that end are checked as ever, also after one that did not', () => {
  expect(validate(endless, { a: 'aaa' })).toBeNull();
  expect(validate(endless, { a: 'b' })).toContain('pattern');
});

it.each([
  ['pattern', { type: 'string' }],
  ['pattern', { type: 'string', description: 'like "pattern":"x"', pattern: '^a+$' }],
  ['name', { type: 'string', pattern: '^a+$' }],
])('a machine that stalls refuses no value of %s', (name, property) => {
  const schema = { type: 'object', properties: { [name]: property }, required: [name] };
  expect(validate(schema, slowToRead(name, 'aaa'))).toBeNull();
  expect(validate(schema, slowToRead('other', 'aaa'))).toBe(`${name}: required, but missing.`);
});

it('a limit on the time of a pattern gives what the work gives, throws what it throws, and leaves nothing behind', () => {
  expect(withinTime(() => withinTime(() => 7) + 1)).toBe(8);
  expect(() =>
    withinTime(() => {
      throw new RangeError('mine');
    }),
  ).toThrow(RangeError);
  expect(Object.getOwnPropertySymbols(globalThis).map(String)).not.toContain(
    'Symbol(toolwright.work-within-time)',
  );
});
