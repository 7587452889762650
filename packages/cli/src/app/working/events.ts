import type { Status } from './working.js';

/** The user's actions while the model is at work. */
export type WorkingAction =
  | { type: 'message-queued'; text: string }
  /** The queued messages are sent after the calls that run now. */
  | { type: 'queue-steered' }
  /** The last message of the queue is in the line again. */
  | { type: 'message-taken-back' }
  /** The calls that run are cancelled; the model goes on. */
  | { type: 'calls-cancelled' }
  /** The call that a question is about is cancelled; what else was called goes on. */
  | { type: 'call-cancelled'; callId: string };

export type WorkingNews =
  | { type: 'status-changed'; status: Partial<Status> }
  /** The first message of the queue is taken as the next prompt. */
  | { type: 'queue-shifted' }
  /** The messages that are made ready for the model; hooks may refuse them. */
  | { type: 'messages-going'; texts: readonly string[] }
  /** A message that a hook refused is in the line again. */
  | { type: 'message-refused'; text: string }
  /** The messages that went to the model in the turn that runs. */
  | { type: 'messages-sent'; texts: readonly string[] };
