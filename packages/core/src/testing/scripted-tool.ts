import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ConfirmationDetails, OnUpdate, Tool, ToolResult } from '../tools/tools.js';

/** The behaviour of a scripted tool. */
export interface ScriptedToolOptions {
  effects?: Effect[] | ((params: Record<string, unknown>) => Effect[]);
  schema?: Record<string, unknown>;
  confirmation?: ConfirmationDetails | false | (() => Promise<ConfirmationDetails | false>);
  run?(params: Record<string, unknown>, signal: AbortSignal, onUpdate?: OnUpdate): Promise<ToolResult>;
  more?: Partial<Tool<Record<string, unknown>>>;
}

/** A tool of the eight members, for tests of whatever handles tools. */
export function scriptedTool(name: string, options: ScriptedToolOptions = {}): Tool<Record<string, unknown>> {
  const { effects, confirmation = false } = options;
  return {
    name,
    displayName: name,
    description: `The tool ${name}, for tests.`,
    parameterSchema: options.schema ?? { type: 'object', properties: {} },
    validateToolParams: () => null,
    getDescription: () => `Use ${name}`,
    shouldConfirmExecute: async () => (typeof confirmation === 'function' ? confirmation() : confirmation),
    execute: options.run ?? (async () => ({ llmContent: `${name} done`, returnDisplay: `${name} done` })),
    effects: effects ? (params) => (typeof effects === 'function' ? effects(params) : effects) : undefined,
    ...options.more,
  };
}
