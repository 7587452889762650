import { emptyInput, type InputLine } from '../input-line.js';
import type { Choice, Question } from '../question.js';

/** Lines of a question between its title and its answers, and how many of them can be seen at once. */
export interface QuestionSize {
  lines: number;
  room: number;
}

/** The meaning of the keys at the moment. */
export type QuestionPage =
  | { kind: 'answers' }
  /** A line that belongs to the choice with this key. */
  | { kind: 'line'; key: string }
  /** The word yes, for a question that was not seen to its end. */
  | { kind: 'deliberate'; key: string }
  | { kind: 'always'; scope: 'session' | 'saved'; limit: number };

export interface OpenQuestion {
  id: number;
  question: Question;
  /** Until keys have been quiet for a moment, whatever is typed was not meant for this question. */
  isOpen: boolean;
  size: QuestionSize;
  /** True if one of the questions behind it does not fit the screen: then they are not answered together. */
  hasLongOthers: boolean;
  /** Lines above what is seen. */
  scroll: number;
  /** The last line was on the screen. */
  wasSeen: boolean;
  page: QuestionPage;
  reply: InputLine;
}

export function newQuestion(id: number, question: Question): OpenQuestion {
  return {
    id,
    question,
    isOpen: false,
    size: { lines: 0, room: 0 },
    hasLongOthers: false,
    scroll: 0,
    wasSeen: false,
    page: { kind: 'answers' },
    reply: emptyInput,
  };
}

export function isLong({ size }: Pick<OpenQuestion, 'size'>): boolean {
  return size.lines > size.room;
}

/** The choices as they can be taken now. */
export function choicesOf(
  open: Pick<OpenQuestion, 'question' | 'size' | 'hasLongOthers'>,
): readonly Choice[] {
  const { choices, others = [] } = open.question;
  if (others.length === 0 || !(isLong(open) || open.hasLongOthers)) return choices;
  return choices.filter(({ key }) => key !== ALL_KEY);
}

/** The key of a yes to everything that waits. */
export const ALL_KEY = 't';
