import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterAll, expect, it } from 'vitest';
import { defineTool, type ToolDefinition } from '../tools/own/define-tool.js';
import { requireTool } from '../tools/own/tool-shape.js';
import type { Tool } from '../tools/tools.js';
import { type Grade, gradeTool, type ToolReport } from './grading/grade-tool.js';

const { signal } = new AbortController();
const limits = { callMs: 5_000, cancelMs: 200 };
const parameters = {
  type: 'object',
  properties: { path: { type: 'string', description: 'A file.' } },
  required: ['path'],
};
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Author = Partial<ToolDefinition>;

const writing =
  (name: string): ToolDefinition['run'] =>
  (_params, { workspace }) => {
    writeFileSync(join(workspace, name), 'x');
    return 'done';
  };

async function graded(author: Author, calls: object[] = [{ args: { path: 'a.txt' } }]): Promise<ToolReport> {
  await using temp = createTempWorkspace({ content: { 'a.txt': 'one\n', 'a.bin': '\0' } });
  const defined = defineTool({
    apiVersion: 1,
    name: 'line_count',
    description: 'Counts the lines of a text file.',
    parameters,
    effects: () => [],
    run: () => 'done',
    ...author,
  } as ToolDefinition);
  const host = { ...temp, commit: async () => '' } as unknown as Parameters<typeof requireTool>[2];
  const tool = requireTool(defined, 'tool', host) as Tool;
  const test = { files: {}, calls: calls as never };
  return await gradeTool(tool, { test, directory: temp.directory, signal, limits, howToTest: '' });
}

/** Grades that were false once, and those that are given now. */
const mended: { what: string; once: Grade; now: Grade }[] = [];

afterAll(() => {
  const rows = mended.map(({ what, once, now }) => `  ${once} -> ${now}  ${what}`);
  console.log(`evidence: ${rows.length} grades that were false, and what they are now:\n${rows.join('\n')}`);
});

/** Expects the grade, and notes it beside the one that was given once. */
function expectGrade({ grade }: ToolReport, wanted: Grade, [what, once]: [string, Grade | null]): void {
  expect(grade).toBe(wanted);
  if (once !== null) mended.push({ what, once, now: grade });
}

const saidBy = ({ findings }: ToolReport): string[] =>
  findings.map(({ check, message }) => `${check}: ${message}`);

it.each<[string, Grade | null, Author, RegExp]>([
  [
    'loses its result',
    'A',
    { run: () => undefined as never },
    /^result: The tool line_count gave undefined\./,
  ],
  [
    'declares an effect of a kind that does not exist',
    'A',
    { effects: () => [{ kind: 'wirte', path: '/a' } as unknown as Effect] },
    /^effects: its effect 1 has no known kind: "wirte" \(did you mean write\?\)/,
  ],
  [
    'writes although it declares no effects',
    'A',
    { run: writing('new.txt') },
    /^effects: it changed new\.txt, which its effects do not name/,
  ],
  [
    'writes another file than it declares',
    'A',
    {
      effects: () => [{ kind: 'write', path: 'a.txt' }],
      run: writing('b.txt'),
    },
    /^effects: it changed b\.txt,/,
  ],
  [
    'ignores that it is cancelled',
    'A',
    { run: () => pause(900).then(() => 'done') },
    /^aborted-work: execute went on for more than 0\.2 s after it was cancelled/,
  ],
  [
    'throws in a timer when it has returned',
    'A',
    {
      run: () => {
        setTimeout(() => {
          throw new Error('too late');
        }, 10);
        return 'done';
      },
    },
    /^stray-error: it threw when its call had returned \(too late\)/,
  ],
  [
    'leaves a promise behind that fails',
    'A',
    {
      run: () => {
        void Promise.reject(new Error('unheard'));
        return 'done';
      },
    },
    /^stray-error: it threw when its call had returned \(unheard\)/,
  ],
])('a tool that %s gets F', async (name, once, author, sentence) => {
  const report = await graded(author);
  expect(saidBy(report)).toContainEqual(expect.stringMatching(sentence));
  expectGrade(report, 'F', [`a tool that ${name}`, once]);
});

it('a tool that hangs is left behind at the limit, and no other call is made', async () => {
  let calls = 0;
  const hanging: Author = {
    run: () => {
      calls += 1;
      return new Promise<never>(() => undefined);
    },
  };
  const report = await graded(hanging, [{ args: { path: 'a' } }, { args: { path: 'b' } }]);
  expect(saidBy(report)[0]).toBe('execution: execute does not settle within 5 s for {"path":"a"}.');
  expect([report.grade, calls]).toEqual(['F', 1]);
}, 30_000);

it('a relative effect path of a class gets F', async () => {
  const base = { kind: 'read', path: 'a.txt' } as const;
  const { scriptedTool } = await import('./scripted-tool.js');
  const tool = scriptedTool('reader', { effects: [base] });
  const report = await gradeTool(tool, { test: { files: {}, calls: [{ args: {} }] }, signal, howToTest: '' });
  expect(saidBy(report)).toContainEqual(
    expect.stringMatching(
      /^effects: its effect 1 of kind read names "a\.txt", which is not an absolute path/,
    ),
  );
  expectGrade(report, 'F', ['a tool that declares a relative effect path', 'A']);
});

it.each<[string, Grade | null, Author, object[]]>([
  [
    'refuses what only its run can tell to be wrong',
    'F',
    {
      run: ({ path }) => {
        if (path === 'a.bin') throw new ToolError('invalid_params', 'It is not text. Name a text file.');
        return 'one line';
      },
    },
    [{ args: { path: 'a.txt' } }, { args: { path: 'a.bin' }, error: 'invalid_params' }],
  ],
  [
    'writes what it declares, and makes the folder for it',
    null,
    {
      effects: () => [{ kind: 'write', path: 'sub/b.txt' }],
      run: async (_params, { workspace }) => {
        const { mkdirSync } = await import('node:fs');
        mkdirSync(join(workspace, 'sub'), { recursive: true });
        writeFileSync(join(workspace, 'sub', 'b.txt'), 'x');
        return 'done';
      },
    },
    [{ args: { path: 'a.txt' } }],
  ],
  [
    'takes its time and stops when it is told to',
    null,
    {
      run: async (_params, { signal: cancelled }) => {
        for (let step = 0; step < 30 && !cancelled.aborted; step++) await pause(10);
        cancelled.throwIfAborted();
        return 'done';
      },
    },
    [{ args: { path: 'a.txt' } }],
  ],
])('a tool that %s gets A', async (name, once, author, calls) => {
  const report = await graded(author, calls);
  expect(saidBy(report)).toEqual([]);
  expectGrade(report, 'A', [`a tool that ${name}`, once]);
});

it.each<[string, object]>([
  ['a pattern', { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$', description: 'A ticket.' }],
  ['a format', { type: 'string', format: 'uri', description: 'An address.' }],
  ['a pattern nothing can be made up for', { type: 'string', pattern: '^(?!x)y', description: 'A text.' }],
])('a parameter with %s is no reason to grade a tool without a test down', async (name, field) => {
  const { scriptedTool } = await import('./scripted-tool.js');
  const { validate } = await import('@toolwright/machine/base/json-schema/json-schema.js');
  const schema = { type: 'object', properties: { field }, required: ['field'] };
  const tool = scriptedTool('tool', {
    schema,
    effects: [],
    more: { validateToolParams: (params) => validate(schema, params) },
  });
  const report = await gradeTool(tool, { signal, howToTest: '' });
  const faults = report.findings.filter(({ level }) => level !== 'note');
  expect(faults.map(({ check }) => check)).toEqual(['test']);
  expectGrade(report, 'B', [`a tool without a test that has a parameter with ${name}`, 'F']);
});

it.each<[string, object]>([
  ['$schema', { $schema: 'http://json-schema.org/draft-07/schema#' }],
  ['additionalProperties', { additionalProperties: false }],
  ['default', { properties: { path: { type: 'string', description: 'A file.', default: 'a.txt' } } }],
])('a schema with %s is no fault', async (name, words) => {
  const report = await graded({ parameters: { ...parameters, ...words } } as Author);
  expectGrade(report, 'A', [`a tool whose schema has ${name}`, 'C']);
});
