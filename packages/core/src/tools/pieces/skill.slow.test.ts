import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../../create-toolbox.js';

let temp: TempWorkspace;
let toolbox: Toolbox;
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: {} });
});
afterEach(async () => {
  await toolbox.close();
  await temp.cleanup();
});

function write(name: string, text: string): string {
  const path = join(temp.outside, 'skills', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function open(): Promise<void> {
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    pieces: { skills: [{ path: join(temp.outside, 'skills'), shown: '~/skills' }] },
  });
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], signal);
  return String(settled!.llmContent);
}

it('the skill tool is not offered where there is no skill', async () => {
  await open();
  expect(toolbox.registry.getTool('skill')).toBeUndefined();
});

it('the skill tool gives the instructions, and opens the folder of the skill for reading and running, nothing beside it', async () => {
  write(
    'count/SKILL.md',
    '---\ndescription: Counts things: many of them.\n---\nRun $' + '{CLAUDE_SKILL_DIR}/run.sh',
  );
  const script = write('count/run.sh', '#!/bin/sh\necho counted\n');
  chmodSync(script, 0o755);
  const other = write('other/notes.md', 'secret');
  await open();
  expect(toolbox.registry.getTool('skill')?.description).toMatch(/- count: Counts things: many of them\.$/m);
  expect(await call('read_file', { absolute_path: script })).toMatch(/outside the folders/);
  const folder = join(temp.outside, 'skills/count');
  expect(await call('skill', { name: 'count' })).toBe(
    `The skill count. The user keeps these instructions for this kind of work; follow them for the task at hand. The files that they name are in ${folder}: read them and run scripts by that path.\n\nRun ${folder}/run.sh`,
  );
  expect(await call('read_file', { absolute_path: script })).toMatch(/echo counted/);
  expect(await call('run_shell_command', { command: script })).toMatch(/^counted/);
  expect(await call('read_file', { absolute_path: other })).toMatch(/outside the folders/);
});

it('the skill tool finds notes of extensions that the first request has no room for, and the model can read them', async () => {
  const context = ['harbour', 'mill'].map((name) => {
    const path = write(`../${name}/NOTES.md`, `How the ${name} works.\n${'More. '.repeat(200)}`);
    return { name, root: join(temp.outside, name), path };
  });
  const many = Array.from({ length: 8 }, (_, index) => ({ ...context[0]!, name: `harbour-${index}` }));
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    pieces: { context: [...many, context[1]!] },
  });
  expect(toolbox.pieces.notes()).toMatch(
    /more extensions with notes: find them with a query of the tool skill\.$/,
  );
  const found = await call('skill', { query: 'mill' });
  expect(found).toMatch(
    /^- notes of mill: notes of the extension, in \S+mill\/NOTES\.md: How the mill works\. More\./,
  );
  expect(found.length).toBeLessThan(500);
  const path = join(temp.outside, 'mill/NOTES.md');
  expect(await call('read_file', { absolute_path: path })).toMatch(/How the mill works/);
});

it('the skill tool is found by words, and a mistake names what is near', async () => {
  write('pdf-merge/SKILL.md', '---\ndescription: Puts PDF files together.\n---\nx');
  write('broken/SKILL.md', 'x');
  await open();
  expect(await call('skill', { query: 'pdf files' })).toBe('- pdf-merge: Puts PDF files together.');
  expect(await call('skill', { query: 'zebra' })).toMatch(/No skill fits "zebra"/);
  expect(await call('skill', { name: 'pdf-merg' })).toBe(
    'There is no skill called "pdf-merg". Did you mean pdf-merge?',
  );
  expect(await call('skill', { name: 'broken' })).toMatch(
    /The skill can't be used\. .*SKILL\.md:1: description is missing/,
  );
  expect(await call('skill', {})).toMatch(/Give either name or query/);
  expect(toolbox.notices).toEqual([
    expect.stringMatching(/broken\/SKILL\.md:1: description is missing.*It is off\.$/),
  ]);
});

it('what a skill names as allowed is asked about as without it', async () => {
  write(
    'make/SKILL.md',
    '---\ndescription: Makes things.\nallowed-tools: Write Bash(touch:*)\n---\nMake it.',
  );
  const asked: string[] = [];
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'default',
    pieces: { skills: [{ path: join(temp.outside, 'skills'), shown: '~/skills' }] },
    async confirm({ tool }) {
      asked.push(tool);
      return { kind: 'cancel' };
    },
  });
  await call('skill', { name: 'make' });
  await call('write_file', { file_path: 'a.txt', content: 'x' });
  await call('run_shell_command', { command: 'touch b.txt' });
  expect(asked).toEqual(['write_file', 'run_shell_command']);
});
