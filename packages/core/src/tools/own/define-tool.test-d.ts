import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { ToolboxOptions } from '../../options/toolbox-options.js';
import { BaseTool, type Tool, type ToolResult } from '../tools.js';
import { defineTool, type ToolDefinition } from './define-tool.js';
import type { DefinitionMember } from './definition-problem.js';

const common = { apiVersion: 1, name: 'a', description: 'A.' } as const;

it('infers the arguments from JSON Schema', () => {
  defineTool({
    ...common,
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        times: { type: 'integer' },
        how: { enum: ['fast', 'slow'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { line: { type: 'number' } }, required: ['line'] },
      },
      required: ['text', 'place'],
    },
    run(params) {
      expectTypeOf(params.text).toEqualTypeOf<string>();
      expectTypeOf(params.times).toEqualTypeOf<number | undefined>();
      expectTypeOf(params.how).toEqualTypeOf<'fast' | 'slow' | undefined>();
      expectTypeOf(params.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(params.place.line).toEqualTypeOf<number>();
      // @ts-expect-error There is no such parameter.
      params.other;
      return params.text;
    },
  });
});

it('infers the arguments from zod, as they are after parsing', () => {
  defineTool({
    ...common,
    parameters: z.object({ text: z.string(), times: z.number().default(1) }),
    run(params) {
      expectTypeOf(params).toEqualTypeOf<{ text: string; times: number }>();
      return { counted: params.text.length * params.times };
    },
  });
});

it('takes the arguments that are named, and plain records where nothing is known', () => {
  defineTool<{ path: string }>({
    ...common,
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    run: ({ path }) => path.trim(),
  });
  const unknown: Record<string, unknown> = { type: 'object' };
  defineTool({
    ...common,
    parameters: unknown,
    run(params) {
      expectTypeOf(params).toEqualTypeOf<Record<string, unknown>>();
      return '';
    },
  });
});

it('knows the displays that a result may have', () => {
  const table = { kind: 'table', columns: ['name', 'size'], rows: [['a.txt', 3]] } as const;
  const run = { ...common, parameters: { type: 'object' } } as const;
  defineTool({ ...run, run: () => ({ llmContent: 'x', returnDisplay: table }) });
  defineTool({
    ...run,
    run: async () => ({
      llmContent: 'x',
      returnDisplay: {
        kind: 'fields',
        title: 'Host',
        fields: [
          ['port', 22],
          ['up', null],
        ],
      },
    }),
  });
  defineTool({
    ...run,
    run: () => ({ llmContent: 'x', returnDisplay: { kind: 'markdown', text: '**x**' } }),
  });
  defineTool({ ...run, run: () => ({ llmContent: 'x' }) });
  // @ts-expect-error There is no such kind.
  defineTool({ ...run, run: () => ({ llmContent: 'x', returnDisplay: { kind: 'chart', values: [1] } }) });
  defineTool({
    ...run,
    // @ts-expect-error A value is text, a number, true, false or null.
    run: () => ({ llmContent: 'x', returnDisplay: { ...table, rows: [[new Date(), 3]] } }),
  });
});

interface Sides {
  sides: number;
}

class Dice extends BaseTool<Sides> {
  getDescription({ sides }: Sides): string {
    return `Roll ${sides}`;
  }
  effects() {
    return [];
  }
  async run({ sides }: Sides): Promise<ToolResult> {
    return { llmContent: String(sides), returnDisplay: '' };
  }
}

it('lets a tool of any parameters and what defineTool makes go where a tool is wanted', () => {
  expectTypeOf<Dice>().toExtend<Tool>();
  expectTypeOf<Tool<Sides>>().toExtend<Tool>();
  const defined = defineTool({ ...common, parameters: { type: 'object' }, run: () => 'x' });
  const dice = new Dice({ name: 'dice', displayName: 'Dice', description: 'x', parameterSchema: {} });
  const tools: NonNullable<ToolboxOptions['tools']> = [defined, dice];
  expectTypeOf(tools).not.toBeAny();
});

it('every member of a definition is known where definitions are checked', () => {
  expectTypeOf<DefinitionMember>().toEqualTypeOf<keyof ToolDefinition>();
});
