import { expect, it } from 'vitest';
import { outlineOf, renderOutline } from './outline.js';

const cases: [path: string, text: string, expected: string[]][] = [
  [
    'a.ts',
    "import { x } from './x';\n\nexport const LIMIT = 3;\nexport class Shop<T> {\n  #stock = 1;\n  sell(count: number): void {\n    const local = 1;\n    function inner() {}\n  }\n}\nexport interface Sold {\n  at(): Date;\n}\nexport type Name = string;\nfunction helper() {\n  const hidden = 1;\n}\n",
    [
      '3: export const LIMIT = 3;',
      '4: export class Shop<T>',
      '6:   sell(count: number): void',
      '11: export interface Sold',
      '12:   at(): Date;',
      '14: export type Name = string;',
      '15: function helper()',
    ],
  ],
  ['a.tsx', 'export function View() {\n  return <p>{1}</p>;\n}\n', ['1: export function View()']],
  [
    'a.mjs',
    'export const one = () => 1;\nasync function two() {}\n',
    ['1: export const one = () => 1;', '2: async function two() {}'],
  ],
  [
    'a.py',
    'import os\n\nclass Shop:\n    def sell(self, count: int) -> None:\n        def inner(): pass\n\n@cached\ndef total():\n    pass\n',
    ['3: class Shop:', '4:   def sell(self, count: int) -> None:', '8: def total():'],
  ],
  [
    'a.go',
    'package a\n\ntype Shop struct {\n\tname string\n}\n\nfunc (s *Shop) Sell(n int) error {\n\treturn nil\n}\n',
    ['3: type Shop struct', '7: func (s *Shop) Sell(n int) error'],
  ],
  [
    'a.rs',
    'pub struct Shop;\nimpl Shop {\n    pub fn sell(&self) {}\n}\nmod inner {\n    fn deep() {}\n}\n',
    [
      '1: pub struct Shop;',
      '2: impl Shop',
      '3:   pub fn sell(&self) {}',
      '5: mod inner',
      '6:   fn deep() {}',
    ],
  ],
  [
    'A.java',
    'class A {\n  A() {}\n  int b(int c) { return c; }\n}\n',
    ['1: class A', '2:   A() {}', '3:   int b(int c) { return c; }'],
  ],
  [
    'a.cs',
    'namespace N {\n  class A {\n    int B() { return 1; }\n  }\n}\n',
    ['1: namespace N', '2:   class A', '3:     int B() { return 1; }'],
  ],
  [
    'a.h',
    '#define MAX(a) (a)\nstruct point { int x; };\nint area(struct point p);\n',
    ['1: #define MAX(a) (a)', '2: struct point { int x; };', '3: int area(struct point p);'],
  ],
  [
    'a.cpp',
    'namespace n {\nclass Shop {\n  void sell() { int x; }\n};\n}\nint main() { return 0; }\n',
    ['1: namespace n', '2:   class Shop', '3:     void sell() { int x; }', '6: int main() { return 0; }'],
  ],
  [
    'a.rb',
    'module A\n  class B\n    def c(d)\n    end\n  end\nend\n',
    ['1: module A', '2:   class B', '3:     def c(d)'],
  ],
  [
    'a.php',
    '<?php\nclass A {\n  public function b() {}\n}\nfunction c() {}\n',
    ['2: class A', '3:   public function b() {}', '5: function c() {}'],
  ],
  ['a.sh', 'one() {\n  echo 1\n}\n', ['1: one()']],
];

it.each(cases)(
  'the outline of %s has its declarations, with their lines and places',
  async (path, text, expected) => {
    const outline = await outlineOf(path, { text, hash: path });
    expect(renderOutline(outline ?? []).split('\n')).toEqual(expected);
  },
);

it('a file that no grammar knows has none', async () => {
  expect(await outlineOf('a.txt', { text: 'words', hash: '1' })).toBeNull();
});

it('text that is no program gives what can be read of it', async () => {
  const text = 'class A {\n  b( {\n}}}} export function ok() {}\n';
  expect(await outlineOf('odd.ts', { text, hash: 'odd' })).not.toBeNull();
});

it('the same content is parsed once, wherever it lies', async () => {
  const first = await outlineOf('one.py', { text: 'def a(): pass', hash: 'same' });
  expect(await outlineOf('two.py', { text: 'def a(): pass', hash: 'same' })).toBe(first);
});
