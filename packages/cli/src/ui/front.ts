import type { AppEvent, UserEvent } from '../app/events.js';
import { intentOf } from '../app/intent.js';
import { type Ask, type Question, type Reply, viewAll } from '../app/question.js';
import { reduce } from '../app/reduce.js';
import { initialState, type OpenQuestion, type State } from '../app/state.js';
import type { Drawing } from './drawing.js';
import { createPicking, type PickFrom } from './picking.js';
import type { Terminal } from './terminal.js';

/** Keys in, pictures out, and the one state between them. */
export interface Front {
  readonly state: State;
  dispatch(event: AppEvent): void;
  /** Hears every action of the user, after the state has changed. */
  onUser(listener: (event: UserEvent) => void): void;
  /** The terminal is gone. */
  onEnd(listener: () => void): void;
  /** A question waits until the one before it is answered. */
  ask: Ask;
  /** Lets the user choose from a list or type a text. */
  pick: PickFrom;
  /** Nothing is redrawn here: lists are numbered. */
  readonly isLinear: boolean;
  /** Writes a sequence that draws nothing; false where the terminal would show it. */
  send(sequence: string): boolean;
  /** Gives the terminal to another program for a while. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  start(): void;
  close(): void;
}

/** A question can be answered only after such a pause: keys typed before it could be read were not meant for it. */
const QUIET_MS = 250;

/** They come in numbers and none of them has to be seen at once. */
const gradual = new Set(['text-delta', 'thinking-delta', 'call-update']);

function isGradual(event: AppEvent): boolean {
  return event.type === 'ticked' || (event.type === 'agent' && gradual.has(event.event.type));
}

export interface FrontNeeds {
  terminal: Terminal;
  drawing: Drawing;
  isLinear?: boolean;
  understandsSequences?: boolean;
}

export function createFront({
  terminal,
  drawing,
  isLinear = false,
  understandsSequences = true,
}: FrontNeeds): Front {
  let state = initialState;
  let onUser = (_event: UserEvent): void => undefined;

  function dispatch(event: AppEvent): void {
    state = reduce(state, event);
    drawing.update(state, !isGradual(event));
  }

  const asking = createAsking({ dispatch, open: () => state.question, isLong: drawing.isLong });
  const picking = createPicking({ dispatch, open: () => state.typing.picker, isLinear });
  terminal.onKey((key) => {
    asking.heard();
    const event = intentOf(state, key);
    if (!event) return;
    dispatch(event);
    picking.heard();
    if (event.type === 'reply-given') asking.reply(event.reply);
    else if (event.type === 'picker-answered') picking.answer(event.picked);
    else if (event.type === 'screen-cleared') drawing.clear(state);
    else onUser(event);
  });
  terminal.onResize(() => drawing.redraw(state));

  return {
    get state() {
      return state;
    },
    dispatch,
    onUser: (listener) => void (onUser = listener),
    onEnd: (listener) => terminal.onEnd(listener),
    ask: oneAtATime(asking.ask),
    pick: picking.pick,
    isLinear,
    send(sequence) {
      if (understandsSequences) terminal.write(sequence);
      return understandsSequences;
    },
    async lend(work) {
      drawing.close();
      terminal.stop();
      try {
        return await work();
      } finally {
        terminal.start();
        drawing.redraw(state, { isFresh: true });
      }
    },
    start() {
      terminal.start();
      drawing.update(state);
    },
    close() {
      asking.close();
      drawing.close();
      terminal.stop();
    },
  };
}

/** Calls and servers may have questions at the same time. */
function oneAtATime(ask: Ask): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const next = last.then(() => ask(question, signal));
    last = next.catch(() => undefined);
    return next;
  };
}

interface Asking {
  ask: Ask;
  reply(reply: Reply): void;
  /** A key was pressed. */
  heard(): void;
  close(): void;
}

interface AskingOptions {
  dispatch(event: AppEvent): void;
  open(): OpenQuestion | null;
  isLong(question: Question): boolean;
}

function createAsking({ dispatch, open, isLong }: AskingOptions): Asking {
  let quietTimer: NodeJS.Timeout | undefined;
  let answered: ((reply: Reply) => void) | undefined;

  function awaitQuiet(): void {
    clearTimeout(quietTimer);
    quietTimer = setTimeout(() => {
      const asked = open();
      if (asked && !asked.isOpen) dispatch({ type: 'question-opened', isLong: isLong(asked.question) });
    }, QUIET_MS);
  }

  return {
    async ask(question, signal) {
      if (signal.aborted) return null;
      dispatch({ type: 'question-asked', question });
      awaitQuiet();
      let stop = (): void => undefined;
      const given = await new Promise<Reply | null>((resolve) => {
        answered = resolve;
        stop = () => resolve(null);
        signal.addEventListener('abort', stop, { once: true });
      });
      // A form of many questions listens to the one signal of its call.
      signal.removeEventListener('abort', stop);
      answered = undefined;
      clearTimeout(quietTimer);
      dispatch({ type: 'question-closed', label: labelOf(question, given) });
      return given;
    },
    reply(given) {
      if (given.key === viewAll.key && !open()?.showsAll) dispatch({ type: 'question-shown-whole' });
      else answered?.(given);
    },
    heard() {
      if (open()?.isOpen === false) awaitQuiet();
    },
    close: () => clearTimeout(quietTimer),
  };
}

function labelOf({ choices }: Question, given: Reply | null): string {
  if (!given) return 'cancelled';
  const choice = choices.find(({ key }) => key === given.key);
  const label = choice?.chosen ?? choice?.label ?? given.key;
  if (given.key === 'n') return given.text === '' ? 'no' : `no: ${given.text}`;
  return given.text === '' ? label : `${label} (${given.text})`;
}
