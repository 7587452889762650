import { oneAtATime } from '@toolwright/core/front-end';
import type { AppEvent, UserEvent } from '../app/events.js';
import { graphemes } from '../app/input-line.js';
import { intentOf } from '../app/intent.js';
import type { Key } from '../app/key.js';
import type { Ask } from '../app/question.js';
import { reduce } from '../app/reduce.js';
import { initialState, type State } from '../app/state.js';
import { type Asking, createAsking } from './asking.js';
import type { Drawing } from './drawing.js';
import { createMouse } from './mouse.js';
import type { Notifier } from './notify.js';
import { createPicking, type PickFrom, type Picking } from './picking.js';
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
  /** True if nothing is redrawn: lists are numbered. */
  readonly isLinear: boolean;
  /** Writes a sequence that draws nothing; false where the terminal would show it. */
  send(sequence: string): boolean;
  readonly theme: string;
  useTheme(name: string): void;
  /** Gives the terminal to another program for a while. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  start(): void;
  close(): void;
}

const noThemes: Themes = { name: 'auto', use: () => undefined, seen: () => undefined };

/** Events that come in numbers, and none of which has to be seen at once. */
const gradual = new Set(['text-delta', 'thinking-delta', 'call-update']);

function isGradual(event: AppEvent): boolean {
  return event.type === 'ticked' || (event.type === 'agent' && gradual.has(event.event.type));
}

export interface FrontNeeds {
  terminal: Terminal;
  drawing: Drawing;
  isLinear?: boolean;
  understandsSequences?: boolean;
  notifier?: Notifier;
  themes?: Themes;
  /** The terminal reports clicks. */
  hasMouse?: boolean;
}

/** The theme of the drawing, which can be changed. */
export interface Themes {
  readonly name: string;
  /** For what is drawn from here on. */
  use(name: string): void;
  /** The terminal has told its background. */
  seen(how: { isLight: boolean }): void;
}

export function createFront(needs: FrontNeeds): Front {
  const { terminal, drawing, isLinear = false, understandsSequences = true, themes = noThemes } = needs;
  const store = createStore(needs);
  const { dispatch } = store;
  const asking = createAsking({ dispatch, open: () => store.state.question, measure: drawing.measure });
  const picking = createPicking({ dispatch, open: () => store.state.typing.picker, isLinear });
  /** Calls and servers may have questions at the same time. */
  const oneQuestion = oneAtATime();
  let onUser = (_event: UserEvent): void => undefined;
  listen({ ...needs, store, asking, picking, themes, told: (event) => onUser(event) });

  return {
    get state() {
      return store.state;
    },
    dispatch,
    onUser: (listener) => void (onUser = listener),
    onEnd: (listener) => terminal.onEnd(listener),
    ask: (question, signal) => oneQuestion(() => asking.ask(question, signal)),
    pick: picking.pick,
    isLinear,
    send(sequence) {
      if (understandsSequences) terminal.write(sequence);
      return understandsSequences;
    },
    get theme() {
      return themes.name;
    },
    useTheme(name) {
      themes.use(name);
      drawing.redraw(store.state);
    },
    lend: (work) => lend(work, { ...needs, store }),
    start() {
      terminal.start();
      drawing.update(store.state);
    },
    close() {
      asking.close();
      drawing.close();
      terminal.stop();
    },
  };
}

/** The state and its picture. */
interface Store {
  readonly state: State;
  dispatch(event: AppEvent): void;
  /** From here on the state changes unseen, or is drawn again. */
  hide(isHidden: boolean): void;
}

function createStore({ drawing, notifier }: FrontNeeds): Store {
  let state = initialState;
  let isHidden = false;
  return {
    get state() {
      return state;
    },
    dispatch(event) {
      const before = state;
      state = reduce(state, event);
      if (isHidden) return;
      drawing.update(state, !isGradual(event));
      notifier?.noticed(state, before);
    },
    hide: (hidden) => void (isHidden = hidden),
  };
}

interface ListenNeeds extends FrontNeeds {
  store: Store;
  asking: Asking;
  picking: Picking;
  themes: Themes;
  told(event: UserEvent): void;
}

/** Keys become events, and what the terminal tells by itself is passed on. */
function listen({ store, terminal, drawing, notifier, themes, asking, ...needs }: ListenNeeds): void {
  const { dispatch } = store;
  function hear(key: Key): void {
    if (asking.heard(key)) return;
    const event = intentOf(store.state, key);
    if (!event) {
      asking.missed(key);
      return;
    }
    dispatch(event);
    needs.picking.heard();
    if (event.type === 'reply-given') asking.reply(event.reply);
    else if (event.type === 'question-unfolded') asking.resized();
    else if (event.type === 'picker-answered') needs.picking.answer(event.picked);
    else if (event.type === 'screen-cleared') drawing.clear(store.state);
    else needs.told(event);
  }
  const { write } = terminal;
  const mouse = needs.hasMouse
    ? createMouse({ write, drawing, state: () => store.state, dispatch, press: hear })
    : null;

  terminal.onKey((key) => {
    mouse?.typed();
    lettersOf(store.state, key).forEach(hear);
  });
  terminal.onReport((report) => {
    if (report.name === 'mouse' || report.name === 'cursor') return mouse?.heard(report);
    if (report.name === 'focus') return notifier?.focused(report.isIn);
    themes.seen(report);
    drawing.redraw(store.state);
  });
  terminal.onResize(() => {
    asking.resized();
    drawing.redraw(store.state);
  });
}

/** Splits keys at a question: every letter is a key of its own, however many arrive at once. */
function lettersOf({ question }: State, key: Key): Key[] {
  return question && key.name === 'text' ? graphemes(key.text).map((text) => ({ ...key, text })) : [key];
}

async function lend<Result>(
  work: () => Promise<Result>,
  { terminal, drawing, store }: Pick<ListenNeeds, 'terminal' | 'drawing' | 'store'>,
): Promise<Result> {
  drawing.close();
  terminal.stop();
  // The screen belongs to the other program, also when a second passes or a job ends meanwhile.
  store.hide(true);
  try {
    return await work();
  } finally {
    store.hide(false);
    terminal.start();
    drawing.redraw(store.state, { isFresh: true });
  }
}
