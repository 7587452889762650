import type { AgentEvent } from '@toolwright/core';
import type { QuestionAction, QuestionNews } from './asking/events.js';
import type { History } from './history.js';
import type { InputLine } from './input-line.js';
import type { Reply } from './question.js';
import type { NewBlock } from './state.js';
import type { TypingAction, TypingNews } from './typing/events.js';
import type { Typing } from './typing/typing.js';
import type { WorkingAction, WorkingNews } from './working/events.js';

/** Actions of the user at the keyboard that mean something in the present state. */
export type UserEvent =
  | { type: 'input-changed'; input: InputLine; history?: History; typing?: Typing }
  | { type: 'prompt-submitted'; text: string }
  | { type: 'completion-asked' }
  | QuestionAction
  | WorkingAction
  | TypingAction
  | { type: 'reply-changed'; reply: InputLine }
  | { type: 'reply-given'; reply: Reply }
  | { type: 'hinted'; hint: string; quitAsked?: boolean }
  | { type: 'reply-rejected'; hint: string }
  | { type: 'turn-cancelled' }
  /** The newest block with something left out is shown whole, then the one before it. */
  | { type: 'unfold-asked'; id: number }
  /** Running calls show more of their output, or less again. */
  | { type: 'calls-opened' }
  | { type: 'screen-cleared' }
  | { type: 'suspended' }
  | { type: 'quit' };

/** Events of the agent and of the conversation around it. */
export type ProgramEvent =
  | { type: 'agent'; event: AgentEvent }
  | { type: 'ready' }
  /** The session is closed and another one opens. */
  | { type: 'session-closed' }
  | { type: 'turn-ended' }
  | { type: 'apart-began' }
  | { type: 'block-added'; block: NewBlock }
  | QuestionNews
  | WorkingNews
  | TypingNews
  | { type: 'history-loaded'; entries: readonly string[] }
  | { type: 'ticked'; seconds: number };

export type AppEvent = UserEvent | ProgramEvent;
