import type { AgentEvent } from '@toolwright/core';
import type { History } from './history.js';
import type { InputLine } from './input-line.js';
import type { Question, Reply } from './question.js';
import type { NewBlock } from './state.js';

/** What the person did at the keyboard, as far as it means something in the present state. */
export type PersonEvent =
  | { type: 'input-changed'; input: InputLine; history?: History }
  | { type: 'prompt-submitted'; text: string }
  | { type: 'completion-asked' }
  | { type: 'reply-changed'; reply: InputLine }
  | { type: 'reply-given'; reply: Reply }
  | { type: 'hinted'; hint: string; quitAsked?: boolean }
  | { type: 'reply-rejected'; hint: string }
  | { type: 'turn-cancelled' }
  | { type: 'screen-cleared' }
  | { type: 'suspended' }
  | { type: 'quit' };

/** What the program tells: the agent's events, and what the conversation does around them. */
export type ProgramEvent =
  | { type: 'agent'; event: AgentEvent }
  | { type: 'ready' }
  | { type: 'turn-ended' }
  | { type: 'said'; block: NewBlock }
  | { type: 'question-asked'; question: Question }
  /** Keys have been quiet, the question is on the screen, and so much of it did not fit. */
  | { type: 'question-opened'; isLong: boolean }
  | { type: 'question-shown-whole' }
  | { type: 'question-closed'; label: string }
  | { type: 'history-loaded'; entries: readonly string[] }
  | { type: 'ticked'; seconds: number };

export type AppEvent = PersonEvent | ProgramEvent;
