import type { Question } from '../question.js';
import type { QuestionPage, QuestionSize } from './open-question.js';

/** The user's actions at a question, beside answering it. */
export type QuestionAction =
  | { type: 'question-turned'; page: QuestionPage; text?: string }
  | { type: 'question-scrolled'; by: number }
  /** All that was printed takes the place of its end. */
  | { type: 'question-unfolded' };

export type QuestionNews =
  | { type: 'question-asked'; question: Question }
  /** Keys have been quiet and the question is on the screen. */
  | { type: 'question-opened'; size: QuestionSize; hasLongOthers: boolean }
  /** The screen has another size. */
  | { type: 'question-measured'; size: QuestionSize; hasLongOthers: boolean }
  /** Null where what follows shows the answer. */
  | { type: 'question-closed'; label: string | null };
