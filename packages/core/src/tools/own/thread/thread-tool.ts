import type { Effect } from '@toolwright/machine/base/effect.js';
import { checkParams } from '@toolwright/machine/base/json-schema/json-schema.js';
import type { ConfirmationDetails, Tool, ToolResult } from '../../tools.js';
import { describeArguments } from '../own-tool.js';
import type { Preparation, ToolFacts } from './tool-facts.js';
import type { ThreadCall, ToolThread } from './tool-thread.js';

/** A tool whose code runs in another thread. What its contract answers at once is asked for by `prepare`. */
export function threadTool({ has, ...facts }: ToolFacts, thread: ToolThread): Tool {
  const prepared = new WeakMap<object, Preparation>();
  const call = <Result>(member: ThreadCall['member'], given: Omit<ThreadCall, 'tool' | 'member'>) =>
    thread.call({ tool: facts.name, member, ...given }) as Promise<Result>;
  const members: Partial<Tool> = {
    effects: (params, by, signal) => call<Effect[] | undefined>('effects', { params, more: [by], signal }),
    discard: (params) => call<void>('discard', { params }),
    modify: (params, written, signal) => call<object>('modify', { params, more: [written], signal }),
    unknownParameters: (params) => prepared.get(params)?.unknown ?? [],
  };
  return {
    ...facts,
    ...Object.fromEntries(has.map((member) => [member, members[member]])),
    async prepare(params, signal) {
      // Other values than objects are refused by the schema.
      if (typeof params !== 'object' || params === null || prepared.has(params)) return;
      prepared.set(params, await call<Preparation>('prepare', { params, signal }));
    },
    validateToolParams(params) {
      const known = prepared.get(params);
      if (known) return known.problem;
      const checked = checkParams(facts.parameterSchema, params, facts.parameterAliases);
      return checked.ok ? null : checked.problem;
    },
    getDescription: (params) => prepared.get(params)?.description ?? describeArguments(facts.name, params),
    shouldConfirmExecute: (params, signal, onUpdate) =>
      call<ConfirmationDetails | false>('shouldConfirmExecute', { params, signal, onUpdate }),
    execute: (params, signal, onUpdate) => call<ToolResult>('execute', { params, signal, onUpdate }),
    activeResources: () => thread.resources(),
  };
}
