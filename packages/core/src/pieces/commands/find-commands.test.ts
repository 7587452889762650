import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { beforeEach, expect, it } from 'vitest';
import { describePieceProblem } from '../piece.js';
import { expandCommand } from './expand-command.js';
import { findCommands } from './find-commands.js';
import { readCommand } from './read-command.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

function write(name: string, text = 'Do it.'): void {
  mkdirSync(dirname(join(base, name)), { recursive: true });
  writeFileSync(join(base, name), text);
}

const find = (taken: string[] = []) =>
  findCommands(
    ['own', 'other'].map((shown) => ({ path: join(base, shown), shown })),
    taken,
  );

async function read(name: string) {
  const place = (await find()).places.get(name);
  return place ? readCommand(place) : null;
}

it('the search for commands has namespaces by folder, and tells names that collide or can’t be typed', async () => {
  for (const name of [
    'own/a.md',
    'own/git/commit.toml',
    'own/README.md',
    'own/notes.txt',
    'other/a.toml',
    'own/help.md',
    'own/1 2.md',
  ])
    write(name);
  symlinkSync(join(base, 'own'), join(base, 'own/git/circle'));
  const { places, problems } = await find(['help']);
  expect([...places.keys()]).toEqual(['a', 'git:commit']);
  expect(problems.map((each) => describePieceProblem(each).replaceAll(`${base}/`, ''))).toEqual([
    "own/1 2.md: its name can't be typed as a command: letters, digits, _ and - only, beginning with a letter.",
    'own/help.md: /help is a command of the program; rename the file.',
    'other/a.toml: /a is taken by own/a.md; rename one of them.',
  ]);
});

it('the search for commands reads Markdown with and without front matter, and TOML', async () => {
  write(
    'own/a.md',
    '---\ndescription: Says it\nargument-hint: "[who]"\nallowed-tools: Bash(git:*)\n---\nHello $1',
  );
  write('own/b.md', '# Title\n\nText');
  write('own/c.toml', 'description = "Sees"\nprompt = """\nLook at @{a b.txt}\n"""');
  expect(await read('a')).toMatchObject({ description: 'Says it', hint: '[who]', template: 'Hello $1' });
  expect(await read('b')).toMatchObject({ description: 'Title', template: '# Title\n\nText' });
  expect(await read('c')).toMatchObject({
    description: 'Sees',
    isToml: true,
    template: 'Look at @{a b.txt}',
  });
});

it.each([
  ['a.md', '---\nx', 'own/a.md:1: the front matter begins here and never ends: a line with --- is missing.'],
  ['a.md', '---\na: b\n---\n', 'own/a.md: it has no text to send to the model.'],
  ['a.toml', 'prompt = "x', /^own\/a\.toml:1: it is not TOML \(.+\)\.$/],
  ['a.toml', 'a = 1\nb = = 2', /^own\/a\.toml:2: it is not TOML/],
  ['a.toml', 'description = "x"', 'own/a.toml:1: prompt is missing: it is the text for the model.'],
])('the search for commands names file and line of a broken %s', async (name, text, message) => {
  write(`own/${name}`, text);
  const problem = (await read('a'))!;
  const said = 'problem' in problem ? describePieceProblem(problem).replaceAll(`${base}/`, '') : '';
  expect(said).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

it('the search for commands puts the output of commands in their place, and looks for files only in what was written', async () => {
  write('own/a.toml', 'prompt = "See @{a b.txt} and {{args}}: !{git log {{args}}}."');
  const command = await read('a');
  if (!command || 'problem' in command) throw new Error('not read');
  const ran: string[] = [];
  const expanded = await expandCommand(command, '@c', async (line) => {
    ran.push(line);
    return 'by @someone\n';
  });
  expect(ran).toEqual(["git log '@c'"]);
  expect(expanded.text).toBe('See @a\\ b.txt and @c: by @someone.');
  expect(expanded.written).not.toContain('someone');
});
