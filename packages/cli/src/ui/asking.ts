import type { OpenQuestion, QuestionSize } from '../app/asking/open-question.js';
import type { AppEvent } from '../app/events.js';
import type { Key } from '../app/key.js';
import { type Ask, grantLimits, type Question, type Reply } from '../app/question.js';

/** A question can be answered only after such a pause: keys typed before it could be read were not meant for it. */
const QUIET_MS = 250;

export interface Asking {
  ask: Ask;
  reply(reply: Reply): void;
  /** A key was pressed. True for the letter of a word that is no answer: one that has answered, or one that is typed past the question. */
  heard(key: Key): boolean;
  /** The key meant nothing. */
  missed(key: Key): void;
  /** The screen has another size, or the question. */
  resized(): void;
  close(): void;
}

export interface AskingOptions {
  dispatch(event: AppEvent): void;
  open(): OpenQuestion | null;
  measure(question: Question): QuestionSize;
}

export function createAsking({ dispatch, open, measure }: AskingOptions): Asking {
  let answered: ((reply: Reply) => void) | undefined;
  const rest = createRestOfWord();
  const word = createPassingWord();
  const measures = (question: Question) => ({
    size: measure(question),
    hasLongOthers: (question.others ?? []).some((other) => isTooLong(measure(other))),
  });
  const quiet = createQuiet(() => {
    const asked = open();
    if (asked && !asked.isOpen) dispatch({ type: 'question-opened', ...measures(asked.question) });
  });

  return {
    async ask(question, signal) {
      if (signal.aborted) return null;
      dispatch({ type: 'question-asked', question });
      quiet.begin();
      let stop = (): void => undefined;
      const given = await new Promise<Reply | null>((resolve) => {
        answered = resolve;
        stop = () => resolve(null);
        signal.addEventListener('abort', stop, { once: true });
      });
      // A form of many questions listens to the one signal of its call.
      signal.removeEventListener('abort', stop);
      answered = undefined;
      quiet.stop();
      dispatch({ type: 'question-closed', label: labelOf(question, given) });
      return given;
    },
    reply(given) {
      rest.begin(given.key);
      answered?.(given);
    },
    heard(key) {
      const isOpen = open()?.isOpen;
      if (isOpen === false) quiet.begin();
      return rest.takes(key) || (isOpen === true && word.takes(key));
    },
    missed(key) {
      if (open()?.isOpen) word.missed(key);
    },
    resized() {
      const asked = open();
      if (asked?.isOpen) dispatch({ type: 'question-measured', ...measures(asked.question) });
    },
    close: quiet.stop,
  };
}

/** Waits until there was no key for a while; each one begins it anew. */
function createQuiet(onQuiet: () => void): { begin(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    begin() {
      stop();
      timer = setTimeout(onQuiet, QUIET_MS);
    },
    stop,
  };
}

function isTooLong({ lines, room }: QuestionSize): boolean {
  return lines > room;
}

/** Drops the rest of a typed `yes` and its Enter: the `y` has answered, and the rest must not become a prompt, nor send one. */
function createRestOfWord(): { begin(key: string): void; takes(key: Key): boolean } {
  let left: string | null = null;
  return {
    begin(key) {
      left = key === 'y' ? 'es' : '';
    },
    takes(key) {
      if (left === null) return false;
      const isNext = key.name === 'text' && key.text !== '' && left.startsWith(key.text);
      left = isNext ? left.slice(key.text.length) : null;
      return isNext || key.name === 'enter';
    },
  };
}

/**
 * Finds the letters of a word that somebody types on without having seen the question: the `e` and the `y` of `key` come right
 * behind a letter that is no answer.
 */
function createPassingWord(): { takes(key: Key): boolean; missed(key: Key): void } {
  let end = 0;
  const isGoingOn = (): boolean => performance.now() < end;
  const goOn = (): void => void (end = performance.now() + QUIET_MS);
  return {
    takes(key) {
      if (key.name !== 'text' || !isGoingOn()) return false;
      goOn();
      return true;
    },
    missed(key) {
      const isLetter = key.name === 'text' && key.text.trim() !== '';
      if (isLetter || isGoingOn()) goOn();
    },
  };
}

/** The answer for the transcript; null where what follows shows it. */
function labelOf({ choices, always = [] }: Question, given: Reply | null): string | null {
  if (!given) return null;
  const { key, text } = given;
  const lasting = always.find(({ session, saved }) => key === session || key === saved);
  if (lasting) return lastingLabel(lasting.label, { isSaved: key === lasting.saved, limit: text });
  const choice = choices.find((each) => each.key === key);
  if (choice?.chosen === null) return null;
  if (choice?.asksFor !== undefined && text !== '') return text;
  return choice?.chosen ?? choice?.label ?? key;
}

function lastingLabel(allows: string, { isSaved, limit }: { isSaved: boolean; limit: string }): string {
  const words = grantLimits.find(({ text }) => text === limit && text !== '')?.words;
  const span = isSaved ? 'saved for this workspace' : 'for this session';
  return `always: ${allows}, ${span}${words === undefined ? '' : `, ${words}`}`;
}
