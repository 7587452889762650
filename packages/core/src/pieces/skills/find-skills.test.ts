import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { describePieceProblem } from '../piece.js';
import { findSkills } from './find-skills.js';
import { listSkills } from './list-skills.js';

let base: string;
const { signal } = new AbortController();
beforeEach(() => {
  base = tempFolder();
});

function write(name: string, text: string, folder = 'skills'): string {
  const path = join(base, folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'SKILL.md'), text);
  return path;
}

const good = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nDo it.\n`;
const folderOf = (name = 'skills') => ({ path: join(base, name), shown: name });
const open = (...names: string[]) => findSkills((names.length > 0 ? names : ['skills']).map(folderOf));

describe('skills', () => {
  it('are read with all that the standard knows', async () => {
    write(
      'pdf',
      good(
        'pdf',
        'license: MIT\ncompatibility: needs poppler\nmetadata:\n  author: me\nallowed-tools: Bash(git:*) Read\n',
      ),
    );
    const skills = await open();
    expect(await skills.read('pdf')).toEqual({
      name: 'pdf',
      folder: join(base, 'skills/pdf'),
      from: folderOf(),
      description: 'Does pdf.',
      license: 'MIT',
      compatibility: 'needs poppler',
      metadata: { author: 'me' },
      allowedTools: ['Bash(git:*)', 'Read'],
      isForUserOnly: false,
      body: 'Do it.',
    });
    expect(await skills.read('other')).toBeNull();
  });

  const broken: [string, string, string][] = [
    [
      'no-end',
      '---\nname: no-end\n',
      'no-end/SKILL.md:1: the front matter begins here and never ends: a line with --- is missing.',
    ],
    [
      'other',
      good('another'),
      'other/SKILL.md:2: the name "another" differs from the name of its folder, other; make them equal.',
    ],
    [
      'silent',
      '---\nname: silent\n---\n',
      'silent/SKILL.md:1: description is missing in the front matter: it tells the model when to use the skill.',
    ],
    [
      'long',
      `---\ndescription: ${'x'.repeat(1_025)}\n---\n`,
      'long/SKILL.md:2: the description has 1025 characters; 1024 are allowed.',
    ],
    [
      'Upper',
      good('Upper'),
      `Upper/SKILL.md: the folder "Upper" can't be the name of a skill: at most 64 lower-case letters, digits and single hyphens.`,
    ],
    [
      'binary',
      '\0\xff\xfe',
      'binary/SKILL.md:1: description is missing in the front matter: it tells the model when to use the skill.',
    ],
  ];

  it('that are broken are told by file and line, and cost only themselves', async () => {
    write('fine', good('fine'));
    for (const [name, text] of broken) write(name, text);
    mkdirSync(join(base, 'skills/empty'));
    mkdirSync(join(base, 'skills/pipe'));
    execFileSync('mkfifo', [join(base, 'skills/pipe/SKILL.md')]);
    writeFileSync(join(base, 'skills/README.md'), 'not a skill');
    write('with.dot', good('with.dot'));
    write('.hidden', good('hidden'));
    const { skills, problems } = await (await open()).readAll(signal);
    expect(skills.map(({ name }) => name)).toEqual(['fine']);
    expect(problems.map((each) => describePieceProblem(each).slice(base.length + 8)).sort()).toEqual(
      [
        ...broken.map(([, , message]) => message),
        'empty: this folder has no SKILL.md.',
        `with.dot: the folder "with.dot" can't be the name of a skill: at most 64 lower-case letters, digits and single hyphens.`,
        `pipe/SKILL.md: ${base}/skills/pipe/SKILL.md is not a regular file.`,
      ].sort(),
    );
  });

  it('of the same name are told, not shadowed; a folder reached by two ways counts once', async () => {
    write('a', good('a'));
    write('a', good('a'), 'more');
    symlinkSync(join(base, 'skills'), join(base, 'linked'));
    mkdirSync(join(base, 'single'));
    symlinkSync(join(base, 'skills/a'), join(base, 'single/a'));
    const skills = await open('skills', 'linked', 'single', 'more', 'nowhere');
    const { places, problems } = await skills.look();
    expect(places.map(({ from }) => from.shown)).toEqual(['skills']);
    expect(problems).toEqual([
      {
        file: join(base, 'more/a'),
        problem: `the name a is taken by the skill in ${base}/skills/a; rename one of them`,
      },
    ]);
  });

  it('show no hidden characters to the model', async () => {
    write('odd', `---\ndescription: a\u200Bb\n---\nc\u202Ed`);
    expect(await (await open()).read('odd')).toMatchObject({ description: 'a<U+200B>b', body: 'c<U+202E>d' });
  });
});

describe('the list for the model', () => {
  const share = { room: 960, bytesOf: (text: string) => Buffer.byteLength(text) };

  it('has names with descriptions, and leaves out what is off or only for the user', async () => {
    write('a', good('a'));
    write('b', good('b', 'disable-model-invocation: true\n'));
    write('c', 'no front matter');
    const { text, problems } = await listSkills(await open(), share);
    expect(text).toBe('- a: Does a.');
    expect(problems).toHaveLength(1);
  });

  it('stays small with hundreds of skills, of which only those that are listed are read', async () => {
    for (let index = 0; index < 40; index++) {
      const name = `s0${String(index).padStart(3, '0')}`;
      write(name, `---\nname: ${name}\ndescription: ${'word '.repeat(100)}\n---\n`);
    }
    // Reading one of these would be a problem.
    for (let index = 0; index < 400; index++) writeFileSync(join(base, `skills/x${index}`), '');
    const { text, problems } = await listSkills(await open(), share);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(960);
    expect(text).toMatch(/^- s0000: word word/);
    expect(text).toMatch(
      /Without a description here: s00\d\d, .* \d\d\d more skills\. Give a query to search them\.$/,
    );
    expect(problems).toEqual([]);
  });

  it('gives up on a folder of broken ones early', async () => {
    for (let index = 0; index < 30; index++) write(`s${index}`, 'broken');
    expect((await listSkills(await open(), share)).problems).toHaveLength(21);
  });
});
