import type { OpenQuestion } from './asking/open-question.js';
import { backIntent, questionIntent } from './asking/question-keys.js';
import type { UserEvent } from './events.js';
import { browsed } from './history.js';
import { emptyInput, erased, insert, movedByLine } from './input-line.js';
import type { Key } from './key.js';
import { hasFolded, hasMoreOutput, type State } from './state.js';
import { edited, editedPrompt } from './typing/edit.js';
import { typingIntent } from './typing/intents.js';
import { cancelIntent, queueIntent } from './working/queue-keys.js';
import { takenBack } from './working/working.js';

/** Turns a key into an event; null when it means nothing here. */
export function intentOf(state: State, key: Key): UserEvent | null {
  if (key.name === 'clear-screen') return { type: 'screen-cleared' };
  if (key.name === 'suspend') return { type: 'suspended' };
  const typed = typingIntent(state, key);
  if (typed !== undefined) return typed;
  if (key.name === 'unfold') return unfoldIntent(state);
  const back = key.name === 'escape' && state.question ? backIntent(state.question) : null;
  if (back) return back;
  const cancels = key.name === 'interrupt' || key.name === 'escape';
  // No turn asked this, so there is none to cancel: a server did, and may still wait.
  if (cancels && state.question && state.phase === 'idle') return refusalOf(state.question);
  if (key.name === 'interrupt') return interruptIntent(state);
  if (key.name === 'escape') return escapeIntent(state);
  if (!state.question) return promptIntent(state, key);
  return state.question.isOpen ? questionIntent(state.question, key, edited) : typedAhead(state, key);
}

/** Nobody can have read the question yet: what is typed was meant for the line. */
function typedAhead({ typing, input }: State, key: Key): UserEvent | null {
  if (typing.picker || typing.vim?.mode === 'normal') return null;
  const next = editedPrompt(typing, input, key);
  return next && { type: 'input-changed', ...next };
}

function unfoldQuestionIntent({ isOpen, page, question }: OpenQuestion): UserEvent | null {
  return isOpen && page.kind === 'answers' && question.unfolded ? { type: 'question-unfolded' } : null;
}

/** Ctrl+O: calls that run are opened and closed again; what scrolled away is never rewritten, so the whole of it is printed anew. */
function unfoldIntent({ blocks, unfolded, question, calls, callsOpen }: State): UserEvent | null {
  if (question) return unfoldQuestionIntent(question);
  if (callsOpen ? calls.length > 0 : calls.some(hasMoreOutput)) return { type: 'calls-opened' };
  const isOlder = (id: number): boolean => unfolded === 0 || id < unfolded;
  const folded = blocks.findLast((block) => hasFolded(block) && isOlder(block.id));
  if (folded) return { type: 'unfold-asked', id: folded.id };
  const hint = unfolded === 0 ? 'Nothing to expand.' : 'Nothing earlier to expand.';
  return { type: 'hinted', hint };
}

function refusalOf({ question }: OpenQuestion): UserEvent {
  return { type: 'reply-given', reply: { key: question.refusal, text: '' } };
}

/** Ctrl+C: cancels what runs, else clears the line, else quits at the second press. */
function interruptIntent(state: State): UserEvent {
  if (state.phase === 'working' || (state.question && state.phase !== 'cancelling'))
    return { type: 'turn-cancelled' };
  if (state.quitAsked || state.phase === 'starting') return { type: 'quit' };
  if (state.phase === 'cancelling')
    return { type: 'hinted', hint: 'Still stopping. Press Ctrl+C again to quit at once.', quitAsked: true };
  if (state.input.text !== '') return { type: 'input-changed', input: emptyInput };
  return { type: 'hinted', hint: 'Press Ctrl+C again to quit.', quitAsked: true };
}

function escapeIntent(state: State): UserEvent | null {
  if (state.phase === 'working' || state.question) return cancelIntent(state);
  return state.input.text === '' ? null : { type: 'hinted', hint: 'Press Ctrl+C to clear the line.' };
}

function promptIntent(state: State, key: Key): UserEvent | null {
  const { input } = state;
  switch (key.name) {
    case 'enter':
      return submitIntent(state);
    case 'newline':
      return { type: 'input-changed', input: insert(input, '\n') };
    case 'tab':
      return state.phase === 'starting' ? null : { type: 'completion-asked' };
    case 'up':
    case 'down':
      return verticalIntent(state, key.name);
    case 'end-of-input':
      return input.text === '' ? { type: 'quit' } : { type: 'input-changed', input: erased(input, 'right') };
    default: {
      const next = editedPrompt(state.typing, input, key);
      return next && { type: 'input-changed', ...next };
    }
  }
}

function submitIntent(state: State): UserEvent | null {
  const { input, phase } = state;
  if (input.text.slice(0, input.cursor).endsWith('\\') && input.cursor === input.text.length) {
    return { type: 'input-changed', input: insert(erased(input, 'left'), '\n') };
  }
  if (phase === 'starting') return null;
  if (phase !== 'idle') return queueIntent(state);
  if (input.text.trim() === '') return null;
  return { type: 'prompt-submitted', text: input.text.trim() };
}

/** Inside a text of several lines first, then through the history. */
function verticalIntent({ input, history, working }: State, name: 'up' | 'down'): UserEvent | null {
  if (name === 'up' && input.text === '' && takenBack(working)) return { type: 'message-taken-back' };
  const within = movedByLine(input, name === 'up' ? -1 : 1);
  if (within) return { type: 'input-changed', input: within, history };
  const found = browsed(history, input, name === 'up' ? 1 : -1);
  return found && { type: 'input-changed', input: found.input, history: found.history };
}
