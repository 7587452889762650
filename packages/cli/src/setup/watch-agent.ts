import {
  type Agent,
  type AgentEvent,
  type CreateAgentOptions,
  deadlineIn,
  type ModelClient,
} from '@toolwright/core';
import { UsageError } from '../base/exit-codes.js';
import type { Arguments } from '../command-line/args.js';

/** Whoever keeps account of a session beside its journal. */
export interface Watching {
  options: Pick<CreateAgentOptions, 'wrapModel' | 'onEntry'>;
  /** Events reach the front end and those who watch. */
  heard(onEvent: (event: AgentEvent) => void): (event: AgentEvent) => void;
  /** Called before the first prompt. */
  begin(agent: Agent): Promise<void>;
  end(): Promise<void>;
}

const TREE_LIMIT_MS = 120_000;

/** Nothing is loaded where nobody watches. */
export async function watchAgent({ values, switches }: Arguments): Promise<Watching> {
  const path = values.get('record');
  if (path === undefined && switches.has('with-tree'))
    throw new UsageError('--with-tree belongs to --record FILE.');
  const recorder =
    path === undefined ? null : (await import('./recording.js')).recordTo(path, switches.has('with-tree'));
  if (!recorder)
    return {
      options: {},
      heard: (onEvent) => onEvent,
      begin: async () => undefined,
      end: async () => undefined,
    };
  return {
    options: {
      wrapModel: (client: ModelClient) => recorder.wrapModel(client),
      onEntry: recorder.onEntry,
    },
    heard: (onEvent) => (event) => {
      recorder.onEvent(event);
      onEvent(event);
    },
    begin: (agent) => recorder.begin(agent, deadlineIn(TREE_LIMIT_MS)),
    end: () => recorder.end(),
  };
}
