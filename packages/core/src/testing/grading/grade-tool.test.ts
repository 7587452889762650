import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { describe, expect, it } from 'vitest';
import { scriptedTool } from '../scripted-tool.js';
import { gradeTool, type ToolReport } from './grade-tool.js';
import { readToolTest } from './tool-test.js';

const { signal } = new AbortController();
const schema = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to say.' } },
  required: ['text'],
};
const good = scriptedTool('say', {
  schema,
  effects: [],
  run: async (params, { aborted }) => {
    const problem = aborted ? 'cancelled' : typeof params?.['text'] === 'string' ? null : 'text is missing';
    if (problem === null) return { llmContent: String(params['text']), returnDisplay: 'said' };
    return {
      llmContent: problem,
      returnDisplay: problem,
      error: { code: aborted ? 'cancelled' : 'invalid_params', message: problem },
    };
  },
  more: { validateToolParams: (params) => (typeof params?.['text'] === 'string' ? null : 'text is missing') },
});
const test = { files: {}, calls: [{ args: { text: 'ho' }, output: 'ho' }] };
const stateOf = ({ aspects }: ToolReport, aspect: string) =>
  aspects.find((one) => one.aspect === aspect)?.state;

describe('the grade of a tool', () => {
  it('is A when it keeps every promise and its test passes', async () => {
    await using temp = createTempWorkspace();
    const report = await gradeTool(good, { test, directory: temp.directory, signal, howToTest: '' });
    expect(report).toMatchObject({ name: 'say', grade: 'A', findings: [] });
    expect(new Set(report.aspects.map(({ state }) => state))).toEqual(new Set(['ok']));
  });

  it('is B without a test: nothing is run, and the report says how to write one', async () => {
    const silent = { ...good, execute: () => Promise.reject(new Error('was run')) };
    const report = await gradeTool(silent, { signal, howToTest: 'Write say.test.json.' });
    expect(report.grade).toBe('B');
    expect(report.findings).toEqual([
      {
        check: 'test',
        level: 'warning',
        message: 'There is no test, so nothing was run. Write say.test.json.',
      },
    ]);
    expect(stateOf(report, 'results and errors')).toBe('not tried');
    expect(stateOf(report, 'effects and question')).toBe('not tried');
    expect(stateOf(report, 'parameter schema')).toBe('ok');
  });

  it('is C when some providers can not be offered it', async () => {
    const odd = {
      type: 'object',
      properties: { ...schema.properties, at: { type: 'date', description: 'When.' } },
    };
    const report = await gradeTool({ ...good, parameterSchema: odd }, { test, signal, howToTest: '' });
    expect(report.grade).toBe('C');
    expect(stateOf(report, 'parameter schema')).toBe('mend');
  });

  it('is A in spite of notes on what providers are only told in words', async () => {
    const strict = { ...good, parameterSchema: { ...schema, additionalProperties: false } };
    const report = await gradeTool(strict, { test, signal, howToTest: '' });
    expect(report.grade).toBe('A');
    expect(report.findings.map(({ level }) => level)).toEqual(['note']);
    expect(stateOf(report, 'parameter schema')).toBe('ok');
  });

  it('is F when the test is not answered as written, or a promise is broken', async () => {
    const wrong = {
      files: {},
      calls: [
        ...test.calls,
        { args: { text: 'a' }, output: 'b' },
        { args: { text: 'c' }, error: 'not_found' },
      ],
    };
    const report = await gradeTool(good, { test: wrong, signal, howToTest: '' });
    expect(report.grade).toBe('F');
    expect(report.findings.map(({ message }) => message)).toEqual([
      '{"text":"a"} should answer "b", but answered "a".',
      '{"text":"c"} should fail with not_found, but answered "c".',
    ]);
    const throwing = { ...good, execute: () => Promise.reject(new Error('oh')) };
    const thrown = await gradeTool(throwing, { test, signal, howToTest: '' });
    expect(thrown.grade).toBe('F');
    expect(stateOf(thrown, 'results and errors')).toBe('mend');
  });
});

describe('a test of a tool', () => {
  it('is read from JSON', () => {
    const calls = [
      { args: { a: 1 }, output: 'x' },
      { args: {}, error: 'invalid_params' },
    ];
    expect(readToolTest(JSON.stringify({ v: 1, files: { 'a.txt': 'x' }, calls }))).toEqual({
      files: { 'a.txt': 'x' },
      calls,
    });
  });

  it.each<[unknown, string]>([
    ['{', 'it is not JSON'],
    [{ calls: [] }, '"v": 1 is missing.'],
    [{ v: 1, calls: [] }, '"calls" must hold at least one call.'],
    [{ v: 1, files: { a: 1 }, calls: [] }, '"files" must hold the content of each file as text.'],
    [{ v: 1, calls: [{}] }, '"calls"[0] needs "args"'],
    [
      { v: 1, calls: [{ args: {}, output: 1 }] },
      '"calls"[0]: "output" must be text that the answer contains.',
    ],
    [{ v: 1, calls: [{ args: {}, error: 'oops' }] }, '"calls"[0]: "error" must be one of invalid_params,'],
  ])('that is %j is refused', (value, message) => {
    expect(() => readToolTest(typeof value === 'string' ? value : JSON.stringify(value))).toThrow(message);
  });
});
