import type { Agent, CreateAgentOptions } from '@toolwright/core';

/** Somebody who keeps account of a session beside its journal. */
export interface Watcher extends Required<Pick<CreateAgentOptions, 'wrapModel' | 'onEntry' | 'onEvent'>> {
  /** Called before the first prompt. */
  begin(agent: Agent): Promise<void>;
  end(): Promise<void>;
}
