import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { factNamed } from '../actions/memory.js';
import { putBackSignals } from './fixtures/put-back-signals.js';
import { run } from './memory.js';
import { run as undo } from './undo.js';

const HEADING = '## Facts to remember';
putBackSignals();
let base: string;

beforeEach(() => {
  base = tempFolder();
  write(
    'work/AGENTS.md',
    `Build: make. See @docs/style.md and @gone.md.\n\n${HEADING}\n\n- Tests: npm test\n- Use tabs\n`,
  );
  write('work/docs/style.md', 'Tabs.\n');
  write('state/AGENTS.md', `${HEADING}\n\n- Speaks German\n- Uses tabs everywhere\n`);
  vi.stubEnv('TOOLWRIGHT_HOME', join(base, 'state'));
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(base, name)), { recursive: true, mode: 0o700 });
  writeFileSync(join(base, name), text);
}

const read = (name: string) => readFileSync(join(base, name), 'utf8');

async function outputOf(command: (args: string[]) => Promise<number>, ...args: string[]): Promise<string> {
  let output = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  try {
    expect(await command([...args, '--workspace', join(base, 'work')])).toBe(0);
    return output;
  } finally {
    spy.mockRestore();
  }
}

describe('memory show', () => {
  test('prints the files in effect with what they import, and the facts with their numbers', async () => {
    const output = await outputOf(run, 'show', '--trust');
    expect(output.replace(/Together \d+ bytes/, 'Together N bytes')).toBe(`Context files for ${base}/work
  ${base}/state/AGENTS.md  61 bytes
  AGENTS.md  98 bytes
    @docs/style.md  6 bytes
    @gone.md  (no such file; left as text)
Together N bytes of at most 128 kB. Those of inner folders are added when a tool first touches them.

Facts in ${base}/state/AGENTS.md (global)
   1  Speaks German
   2  Uses tabs everywhere
Facts in AGENTS.md (project)
   3  Tests: npm test
   4  Use tabs
To remove one: toolwright memory forget NUMBER
`);
  });

  test('says when the folder is not trusted', async () => {
    expect(await outputOf(run, 'show')).toMatch(
      /^Context files for .*work \(not trusted: its files are given to the model as data, not as instructions\)\n/,
    );
  });

  test('gives the tree as JSON, without the texts', async () => {
    const shown = JSON.parse(await outputOf(run, 'show', '--json', '--trust'));
    expect(shown).toMatchObject({
      v: 1,
      trusted: true,
      files: [
        { trusted: true },
        {
          shown: 'AGENTS.md',
          imports: [{ reference: 'docs/style.md', state: 'included', bytes: 6 }, { state: 'missing' }],
        },
      ],
      facts: [{ number: 1, scope: 'global', fact: 'Speaks German' }, {}, {}, {}],
    });
    expect(JSON.stringify(shown)).not.toContain('Tabs.');
  });
});

describe('memory forget', () => {
  test('removes a fact of the project by its number, shows the diff, and can be undone', async () => {
    const before = read('work/AGENTS.md');
    const output = await outputOf(run, 'forget', '4');
    expect(output).toMatch(
      /^modify AGENTS\.md \(\+0 -1\)\n[\s\S]*\n-- Use tabs\nForgotten \(project\): Use tabs\nTo undo this: toolwright undo \w+\n$/,
    );
    expect(read('work/AGENTS.md')).toBe(before.replace('- Use tabs\n', ''));
    await outputOf(undo);
    expect(read('work/AGENTS.md')).toBe(before);
  });

  test('removes a fact of the user by some of its words', async () => {
    expect(await outputOf(run, 'forget', 'speaks', 'GERMAN')).toMatch(
      /\nForgotten \(global\): Speaks German\n$/,
    );
    expect(read('state/AGENTS.md')).toBe(`${HEADING}\n\n- Uses tabs everywhere\n`);
  });

  test('removes nothing when several facts fit, or none', async () => {
    await expect(run(['forget', 'tabs', '--workspace', join(base, 'work')])).rejects.toThrow(
      'Several facts match. Give the number of one:\n  2  Uses tabs everywhere\n  4  Use tabs',
    );
    expect(read('state/AGENTS.md')).toContain('tabs');
  });

  const facts = [
    { number: 1, scope: 'global', fact: 'Use tabs everywhere' },
    { number: 2, scope: 'project', fact: 'Use tabs' },
    { number: 3, scope: 'project', fact: 'Tests: npm test' },
  ] as const;

  test.each([
    ['the whole fact before one that holds it', 'use  TABS', undefined, 2],
    ['only the scope that is named', 'tabs', 'global', 1],
    ['words in the middle', 'npm', undefined, 3],
  ])('takes %s', (_name, wanted, scope, number) => {
    expect(factNamed(facts, wanted, { scope, prefix: 'toolwright ' }).number).toBe(number);
  });

  test.each([
    ['9', undefined, 'There is no such fact: 9. toolwright memory show lists them.'],
    ['1', 'project', 'There is no such fact in the scope project: 1. toolwright memory show lists them.'],
    ['cats', undefined, 'There is no such fact: cats. toolwright memory show lists them.'],
  ])('finds no %s in scope %s', (wanted, scope, message) => {
    expect(() => factNamed(facts, wanted, { scope, prefix: 'toolwright ' })).toThrow(message);
  });
});

test.each([
  [
    ['forget'],
    'memory forget needs the number of a fact or some of its words. toolwright memory show lists them.',
  ],
  [['frget', 'x'], 'There is no command memory frget. Did you mean forget?'],
  [['list'], 'There is no command memory list. Use show or forget.'],
  [['show', 'x'], 'memory show takes no more arguments, but got "x".'],
])('%j is a mistake in the call', async (args, message) => {
  await expect(run(args)).rejects.toThrow(message);
});
