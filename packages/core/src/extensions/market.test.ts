import { createTempWorkspace } from '@toolwright/core/testing';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { expect, it } from 'vitest';
import { readContents } from './extension-contents.js';
import { pluginFiles } from './market.js';
import { readExtension } from './read-extension.js';

const file = (path: string, text: string): TreeFile => ({
  path,
  bytes: new TextEncoder().encode(text),
  isProgram: false,
});
const skill = (name: string): TreeFile =>
  file(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Works on ${name}.\n---\nDo it.\n`);
const market = (plugins: object[]): TreeFile =>
  file('.claude-plugin/marketplace.json', JSON.stringify({ name: 'skills', plugins }));

const repository = [
  market([
    { name: 'papers', source: './', strict: false, skills: ['./skills/pdf', './skills/docx'], tags: ['x'] },
    { name: 'all', source: './' },
    { name: 'notes', source: './plugins/notes' },
    { name: 'other', source: { source: 'github', repo: 'a/b' } },
    { name: 'out', source: '../x' },
  ]),
  skill('pdf'),
  skill('docx'),
  skill('games'),
  file('plugins/notes/.claude-plugin/plugin.json', '{"name": "notes", "version": "2.0.0"}'),
];

async function read(name: string) {
  const files = await pluginFiles(repository, name);
  const content = Object.fromEntries(files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
  const made = createTempWorkspace({ content });
  try {
    const found = await readExtension(made.directory);
    if ('problem' in found) throw new Error(found.problem);
    return await readContents(found, made.directory, new AbortController().signal);
  } finally {
    await made.cleanup();
  }
}

it('the entry of a list counts as the manifest of a plugin without one, and means only the skills that it names', async () => {
  const { read: papers, skills, problems } = await read('papers');
  expect(papers.extension).toMatchObject({ name: 'papers', format: 'claude' });
  expect(skills.map(({ name }) => name).sort()).toEqual(['docx', 'pdf']);
  expect(problems).toEqual([]);
  expect((await read('all')).skills).toHaveLength(3);
});

it('a plugin of a list with a manifest of its own is read by that', async () => {
  expect((await read('notes')).read.extension).toMatchObject({ name: 'notes', version: '2.0.0' });
});

it.each([
  ['gone', 'The list has no plugin gone. It has: papers, all, notes, other, out'],
  ['other', 'its source is {"source":"github","repo":"a/b"}. Install it from there.'],
  ['out', 'its source is "../x". Install it from there.'],
])('the plugin %s of a list is not installed, and the reason is told', async (name, message) => {
  await expect(pluginFiles(repository, name)).rejects.toThrow(message);
  await expect(pluginFiles([], name)).rejects.toThrow('There is no list of extensions in it');
});
