import type { State } from '../app/state.js';

export type NotifyMode = 'auto' | 'always' | 'never';

/** Tells the user of a question and of the end of a turn when they look elsewhere; the title of the window always tells what goes on. */
export interface Notifier {
  noticed(state: State, before: State): void;
  focused(isIn: boolean): void;
}

export interface NotifierOptions {
  write(text: string): void;
  mode: NotifyMode;
  /** True for terminals whose reader speaks every change: they get the bell alone. */
  onlyBell?: boolean;
}

/** Sequences that a terminal gets when it is taken and given back: word of its focus, and its title kept meanwhile. */
export const notifyModes = { on: '\x1b[?1004h\x1b[22;2t', off: '\x1b[?1004l\x1b[23;2t' };

/** A shorter turn was watched. */
const LEAST_SECONDS = 3;

export function createNotifier({ write, mode, onlyBell = false }: NotifierOptions): Notifier {
  let isAway = mode === 'always';
  let title = '';

  function notify(words: string): void {
    if (mode === 'never' || !isAway) return;
    const desktop = `\x1b]9;Toolwright: ${words}\x07\x1b]777;notify;Toolwright;${words}\x07`;
    write(`\x07${onlyBell ? '' : desktop}`);
  }
  function showTitle(state: State): void {
    const now = titleOf(state);
    if (onlyBell || mode === 'never' || now === title) return;
    title = now;
    write(`\x1b]2;${now}\x07`);
  }

  return {
    noticed(state, before) {
      showTitle(state);
      if (state.question && state.question.id !== before.question?.id) notify('waiting for your answer');
      const isOver = before.phase === 'working' && state.phase === 'idle';
      if (isOver && before.withModel && before.seconds >= LEAST_SECONDS) notify('the model has finished');
    },
    focused(isIn) {
      if (mode === 'auto') isAway = !isIn;
    },
  };
}

/** Words of ours alone: nothing that a model, a file or a server wrote gets into a title. */
function titleOf({ question, phase }: State): string {
  if (question) return '? Toolwright needs an answer';
  return phase === 'working' || phase === 'cancelling' ? '* Toolwright is working' : 'Toolwright';
}
