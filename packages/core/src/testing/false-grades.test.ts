import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { defineTool, type ToolDefinition } from '../tools/own/define-tool.js';
import { requireTool } from '../tools/own/tool-shape.js';
import type { Tool } from '../tools/tools.js';
import { gradeTool, type ToolReport } from './grading/grade-tool.js';

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

const saidBy = ({ findings }: ToolReport): string[] =>
  findings.map(({ check, message }) => `${check}: ${message}`);

it.each<[string, Author, RegExp]>([
  ['loses its result', { run: () => undefined as never }, /^result: The tool line_count gave undefined\./],
  [
    'declares an effect of a kind that does not exist',
    { effects: () => [{ kind: 'wirte', path: '/a' } as unknown as Effect] },
    /^effects: its effect 1 has no known kind: "wirte"; did you mean write/,
  ],
  [
    'writes although it declares no effects',
    { run: writing('new.txt') },
    /^effects: it changed new\.txt, which its effects do not name/,
  ],
  [
    'writes another file than it declares',
    {
      effects: () => [{ kind: 'write', path: 'a.txt' }],
      run: writing('b.txt'),
    },
    /^effects: it changed b\.txt,/,
  ],
  [
    'ignores that it is cancelled',
    { run: () => pause(900).then(() => 'done') },
    /^aborted-work: execute went on for more than 0\.2 s after it was cancelled/,
  ],
  [
    'throws in a timer when it has returned',
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
    {
      run: () => {
        void Promise.reject(new Error('unheard'));
        return 'done';
      },
    },
    /^stray-error: it threw when its call had returned \(unheard\)/,
  ],
])('a tool that %s gets F', async (_name, author, sentence) => {
  const report = await graded(author);
  expect(saidBy(report)).toContainEqual(expect.stringMatching(sentence));
  expect(report.grade).toBe('F');
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
  expect(report.grade).toBe('F');
});

it.each<[string, Author, object[]]>([
  [
    'refuses what only its run can tell to be wrong',
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
    {
      run: async (_params, { signal: cancelled }) => {
        for (let step = 0; step < 30 && !cancelled.aborted; step++) await pause(10);
        cancelled.throwIfAborted();
        return 'done';
      },
    },
    [{ args: { path: 'a.txt' } }],
  ],
])('a tool that %s gets A', async (_name, author, calls) => {
  const report = await graded(author, calls);
  expect(saidBy(report)).toEqual([]);
  expect(report.grade).toBe('A');
});

it.each<[string, object]>([
  ['a pattern', { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$', description: 'A ticket.' }],
  ['a format', { type: 'string', format: 'uri', description: 'An address.' }],
  ['a pattern nothing can be made up for', { type: 'string', pattern: '^(?!x)y', description: 'A text.' }],
])('a parameter with %s is no reason to grade a tool without a test down', async (_name, field) => {
  const { scriptedTool } = await import('./scripted-tool.js');
  const { validate } = await import('@toolwright/machine/base/json-schema/json-schema.js');
  const schema = { type: 'object', properties: { field }, required: ['field'] };
  const tool = scriptedTool('tool', {
    schema,
    effects: [],
    more: { validateToolParams: (params) => validate(schema, params) },
  });
  const { grade, findings } = await gradeTool(tool, { signal, howToTest: '' });
  expect(findings.filter(({ level }) => level !== 'note').map(({ check }) => check)).toEqual(['test']);
  expect(grade).toBe('B');
});
