import { afterEach, describe, expect, test } from 'vitest';
import type { ContextNode } from './context-tree.js';
import { type ContextBench, createContextBench } from './fixtures/context-bench.js';
import type { OpenContextOptions } from './open-context.js';

const never = new AbortController().signal;
let bench: ContextBench;

afterEach(() => bench.cleanup());

type Tree = [reference: string | undefined, state: string, ...imports: Tree[]];

const treeOf = ({ reference, state, imports }: ContextNode): Tree => [
  reference,
  state,
  ...imports.map(treeOf),
];

async function load(
  content: Parameters<typeof createContextBench>[0],
  options: Partial<OpenContextOptions> & { workspace?: string; prepare?(bench: ContextBench): void } = {},
) {
  bench = createContextBench(content);
  options.prepare?.(bench);
  const { text, files } = await (await bench.open(options)).initial(never);
  return { text, files, trees: files.map(treeOf) };
}

describe('imports', () => {
  test('become sections after the file that names them, whose text stays', async () => {
    const { text } = await load({
      'home/repo/AGENTS.md': 'See @docs/style.md here.',
      'home/repo/docs/style.md': 'Tabs. @more.md',
      'home/repo/docs/more.md': 'More.',
    });
    expect(text.slice(text.indexOf('<'))).toBe(`<context_file path="AGENTS.md">
See @docs/style.md here.
</context_file>

<context_file path="docs/style.md">
Tabs. @more.md
</context_file>

<context_file path="docs/more.md">
More.
</context_file>`);
  });

  test('are followed five deep and no deeper', async () => {
    const names = ['AGENTS.md', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const content = Object.fromEntries(
      names.map((name, index) => [`home/repo/${name}`, `${name} @./${names[index + 1] ?? 'end'}`]),
    );
    const { text, trees } = await load(content);
    expect(text.match(/path="\w+"/g)).toEqual(['b', 'c', 'd', 'e', 'f'].map((name) => `path="${name}"`));
    expect(JSON.stringify(trees)).toBe(
      JSON.stringify([
        [
          null,
          'included',
          [
            './b',
            'included',
            [
              './c',
              'included',
              ['./d', 'included', ['./e', 'included', ['./f', 'included', ['./g', 'too-deep']]]],
            ],
          ],
        ],
      ]),
    );
  });

  test('are not followed at a depth of 0', async () => {
    const { trees } = await load(
      { 'home/repo/AGENTS.md': '@b.md', 'home/repo/b.md': 'b' },
      { importDepth: 0 },
    );
    expect(trees).toEqual([[undefined, 'included', ['b.md', 'too-deep']]]);
  });

  test('in a circle are cut, and a file that two others name is given once', async () => {
    const { trees, text } = await load({
      'home/repo/AGENTS.md': '@b.md @c.md @AGENTS.md',
      'home/repo/b.md': 'b @c.md @AGENTS.md',
      'home/repo/c.md': 'c @b.md',
    });
    expect(trees).toEqual([
      [
        undefined,
        'included',
        ['b.md', 'included', ['c.md', 'included', ['b.md', 'cycle']], ['AGENTS.md', 'cycle']],
        ['c.md', 'repeated'],
        ['AGENTS.md', 'cycle'],
      ],
    ]);
    expect(text.match(/<context_file/g)).toHaveLength(3);
  });

  test('of what is missing, a folder or not text leave the words alone', async () => {
    const written = 'Ask @maria about @types/node, @gone.md, @docs and @logo.png.';
    const { trees, text } = await load({
      'home/repo/AGENTS.md': written,
      'home/repo/docs': null,
      'home/repo/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]),
    });
    expect(text).toContain(`\n${written}\n`);
    expect(trees).toEqual([
      [
        undefined,
        'included',
        ['types/node', 'missing'],
        ['gone.md', 'missing'],
        ['docs', 'refused'],
        ['logo.png', 'not-text'],
      ],
    ]);
  });

  test('stay inside the project, by path and by link', async () => {
    const { trees, text } = await load(
      {
        'home/repo/AGENTS.md': '@../outside.md @/etc/hostname @~/x.md @link.md @folder/x.md @inner.md',
        'home/outside.md': 'outside',
        'home/elsewhere/x.md': 'outside',
        'home/repo/real.md': 'inside',
      },
      {
        prepare({ link }) {
          link('home/repo/link.md', '../outside.md');
          link('home/repo/folder', '../elsewhere');
          link('home/repo/inner.md', 'real.md');
        },
      },
    );
    expect(trees).toEqual([
      [
        undefined,
        'included',
        ['../outside.md', 'outside'],
        ['/etc/hostname', 'outside'],
        ['~/x.md', 'missing'],
        ['link.md', 'outside'],
        ['folder/x.md', 'outside'],
        ['inner.md', 'included'],
      ],
    ]);
    expect(text).not.toContain('\noutside\n');
  });

  test('reach all of a trusted repository from a workspace inside it, but nothing around it', async () => {
    const { trees } = await load(
      {
        'home/repo/.git/HEAD': '',
        'home/repo/docs/x.md': 'x',
        'home/repo/a/AGENTS.md': '@../docs/x.md @../../y.md',
        'home/y.md': 'y',
      },
      { workspace: 'home/repo/a' },
    );
    expect(trees).toEqual([[undefined, 'included', ['../docs/x.md', 'included'], ['../../y.md', 'outside']]]);
  });

  test('of the user’s own file come from the state folder', async () => {
    const { trees, text } = await load({
      'home/.toolwright/AGENTS.md': '@style.md @../secret.md',
      'home/.toolwright/style.md': 'my style',
      'home/secret.md': 'secret',
    });
    expect(trees).toEqual([[undefined, 'included', ['style.md', 'included'], ['../secret.md', 'outside']]]);
    expect(text).toContain('\nmy style\n');
  });

  test('are followed up to a number of files', async () => {
    const names = Array.from({ length: 700 }, (_, index) => `@f${index}.md`).join('\n');
    const { trees } = await load({ 'home/repo/AGENTS.md': names });
    expect(trees[0]).toHaveLength(2 + 500);
  });
});
