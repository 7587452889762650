import type { Agent, State } from '@toolwright/core';
import type { UserEvent } from '../../app/events.js';
import type { Setup } from '../../setup/runtime.js';
import { userRedactor } from '../../setup/user-redactor.js';
import type { Front } from '../../ui/front.js';
import { customNames } from '../custom-commands.js';
import { commandNames, slashNames } from '../slash-commands.js';
import { createDraftKeeper } from './draft.js';
import { createTypingActions } from './typing-actions.js';

/** Typing in one conversation: what its keys start, and the line kept against a crash. */
export interface TypingHere {
  /** True for events that it has dealt with. */
  handle(event: UserEvent): boolean;
  stop(): Promise<void>;
}

export interface TypingPlace {
  front: Front;
  agent: Agent;
  state: State;
  setup: Setup;
}

export async function openTyping({ front, agent, state, setup }: TypingPlace): Promise<TypingHere> {
  const redactor = userRedactor(setup);
  const draft = createDraftKeeper({ front, state, workspace: setup.workspace, clean: redactor.text });
  const own = customNames(agent, slashNames);
  own();
  const actions = createTypingActions({
    front,
    agent,
    state,
    setup,
    commands: () => [...commandNames(), ...own()],
    async nextMode() {
      const { nextMode } = await import('../commands/mode.js');
      nextMode(front, agent);
    },
    changed: draft.changed,
  });
  const isRestored = await draft.restore();
  if (isRestored)
    front.dispatch({ type: 'hinted', hint: 'This line was typed before the last conversation ended.' });
  return {
    handle(event) {
      if (event.type === 'prompt-submitted') draft.changed();
      return actions.handle(event);
    },
    async stop() {
      actions.close();
      await draft.stop();
    },
  };
}
