import { resolve } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { describe, expect, it } from 'vitest';
import { BaseTool, type ToolResult } from '../tools/tools.js';
import { checkTool } from './check-tool.js';
import { describeTool } from './describe-tool.js';
import { scriptedTool } from './scripted-tool.js';

type Params = { path: string; limit?: number };

class GoodTool extends BaseTool<Params> {
  constructor(name = 'good_tool') {
    super({
      name,
      displayName: 'Good',
      description: 'Does something sensible with one path.',
      parameterSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'A path.' },
          limit: { type: 'integer', description: 'How many.' },
        },
        required: ['path'],
      },
    });
  }

  override getDescription({ path }: Params): string {
    return `Look at ${path}`;
  }

  override effects({ path }: Params) {
    return [{ kind: 'read' as const, path: resolve(path) }];
  }

  protected override problem({ path }: Params): string | null {
    return path === '' ? 'path is empty' : null;
  }

  protected override async run({ path }: Params): Promise<ToolResult> {
    if (path === 'missing') throw new ToolError('not_found', 'There is no such file.');
    return { llmContent: path, returnDisplay: path };
  }
}

describeTool({ describe, it }, 'a tool that does everything right', () => ({
  tool: new GoodTool(),
  samples: { valid: [{ path: 'a' }, { path: 'missing' }, { path: 'a', limit: 3 }], invalid: [{ path: '' }] },
}));

describe('checkTool', () => {
  const valid = [{}];

  it.each<[string, Parameters<typeof scriptedTool>[1], string]>([
    ['a result that is no result', { run: async () => 'text' as never }, 'result'],
    ['work in spite of an aborted signal', {}, 'aborted-work'],
    [
      'an exception where a result is due',
      {
        run: async () => {
          throw new Error('x');
        },
      },
      'execution',
    ],
    [
      'an unbounded result',
      { run: async () => ({ llmContent: 'x'.repeat(2 ** 21), returnDisplay: '' }) },
      'bounded',
    ],
    [
      'an unknown error code',
      {
        run: async () => ({
          llmContent: '',
          returnDisplay: '',
          error: { code: 'oops' as never, message: 'x' },
        }),
      },
      'error-shape',
    ],
    [
      'an error without words',
      { run: async () => ({ llmContent: '', returnDisplay: '', error: { code: 'failed', message: ' ' } }) },
      'error-shape',
    ],
    ['a $ref', { schema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } }, 'schema-subset'],
    [
      'a required parameter that does not exist',
      { schema: { type: 'object', properties: {}, required: ['a'] } },
      'schema',
    ],
    [
      'a parameter without description',
      { schema: { type: 'object', properties: { a: { type: 'string' } } } },
      'schema-description',
    ],
    [
      'validation that disagrees with the schema',
      { schema: { type: 'object', properties: { n: { type: 'integer', description: 'n' } } } },
      'validation',
    ],
    [
      'an effect of a kind that the tool does not claim',
      { effects: [{ kind: 'write', path: '/a' }], more: { effectKinds: ['read'] } },
      'effects',
    ],
    ['a description that gives no text', { more: { getDescription: () => '' } }, 'description'],
    ['a name no provider takes', { more: { name: 'no good' } }, 'name'],
    ['a missing member', { more: { getDescription: undefined as never } }, 'members'],
    [
      'details that are not plain data',
      {
        confirmation: {
          kind: 'info',
          title: '',
          prompt: '',
          urls: [],
          effects: [],
          extra: new Map([[1, 2]]),
          f: () => 1,
        } as never,
      },
      'confirmation',
    ],
    [
      'details of a kind that does not exist',
      { confirmation: { kind: 'question', title: 'Sure?', effects: [] } as never },
      'confirmation',
    ],
    [
      'details without effects',
      { confirmation: { kind: 'info', title: 'Sure?', prompt: 'Sure?', urls: [] } as never },
      'confirmation',
    ],
    [
      'details that leave out a declared effect',
      {
        effects: [{ kind: 'write', path: '/work/a' }],
        confirmation: { kind: 'info', title: 'Sure?', prompt: 'Sure?', urls: [], effects: [] },
      },
      'confirmation',
    ],
    ['a question that is no details at all', { confirmation: true as never }, 'confirmation'],
  ])('finds %s', async (_name, options, check) => {
    const findings = await checkTool(scriptedTool('tool', options), { valid });
    expect(findings.map((found) => found.check)).toContain(check);
  });

  it('finds files left behind by a question that was not followed by execution', async () => {
    await using workspace = createTempWorkspace();
    const messy = scriptedTool('messy', {
      confirmation: async () => {
        workspace.write('leftover', 'x');
        return false;
      },
    });
    const findings = await checkTool(messy, { valid, directory: workspace.directory });
    expect(findings.map(({ check }) => check)).toContain('leftovers');
  });
});
