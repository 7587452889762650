import { describe, expect, it } from 'vitest';
import { setAtPath, stepsOf } from './partial-calls.js';

describe('a path to one value', () => {
  it.each<[string, (string | number)[] | null]>([
    ['$', []],
    ['$.foo', ['foo']],
    ['$.foo.bar[0].data', ['foo', 'bar', 0, 'data']],
    ["$['a name']", ['a name']],
    ['$["it\'s"][12]', ["it's", 12]],
    ["$['a\\'b']", ["a'b"]],
    ['$[\'say "hi"\']', ['say "hi"']],
    ["$['\\u00e9\\n']", ['é\n']],
    ['$.größe-2', ['größe-2']],
    ['$.items[*]', null],
    ['$..name', null],
    ['$.items[-1]', null],
    ['$.items[01]', null],
    ['$.items[?@.x]', null],
    ['foo', null],
    ['', null],
    ['$.a b', null],
    ["$['\\x']", null],
    [`$${'.a'.repeat(65)}`, null],
  ])('that is %j has the steps %j', (path, steps) => {
    expect(stepsOf(path)).toEqual(steps);
  });
});

describe('a value at its place', () => {
  it('makes what is missing on the way, and joins pieces of text', () => {
    const root = {};
    expect(setAtPath(root, '$.list[1].name', 'a')).toBe(true);
    expect(setAtPath(root, '$.list[1].name', 'b')).toBe(true);
    expect(setAtPath(root, '$.list[0]', 3)).toBe(true);
    expect(root).toEqual({ list: [3, { name: 'ab' }] });
  });

  it.each([
    ['inside a text', '$.text.inner'],
    ['a name in a list', '$.list.name'],
    ['an index in an object', '$.object[0]'],
    ['at the root', '$'],
    ['far beyond what any list holds', '$.list[4000000000]'],
  ])('is refused %s', (_, path) => {
    const root = { text: 'x', list: [1], object: {} };
    expect(setAtPath(root, path, 'y')).toBe(false);
    expect(root).toEqual({ text: 'x', list: [1], object: {} });
  });

  it('never reaches the prototype of anything', () => {
    const root = {};
    setAtPath(root, '$.__proto__.polluted', true);
    setAtPath(root, '$.constructor.prototype.polluted', true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(root)).toEqual(['__proto__', 'constructor']);
  });
});
