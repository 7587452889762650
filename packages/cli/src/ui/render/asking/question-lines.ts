import { isLong, type OpenQuestion, type QuestionSize } from '../../../app/asking/open-question.js';
import type { Question } from '../../../app/question.js';
import type { State } from '../../../app/state.js';
import type { Screen } from '../frame.js';
import { line, type StyledLine } from '../line.js';
import { DELIBERATE_MARK, linesBeforePrinted, renderPage, renderQuestion } from './question.js';

/** Lines of a screen that a page of a long question leaves to what is said below it. */
const BESIDE = 6;
const LEAST_ROOM = 3;

/** Tells a question to who reads line after line, in pages as long as the screen. */
export interface QuestionTold {
  /** New lines of it as it is asked and leafed through; its answers when it opens, at its end, and when they change. */
  take(state: State, screen: Screen): readonly StyledLine[];
  measure(question: Question, screen: Screen): QuestionSize;
}

export function createQuestionTold(): QuestionTold {
  let before: OpenQuestion | null = null;
  /** Lines of the question that were printed. */
  let printed = 0;
  const take: QuestionTold['take'] = ({ question: open }, screen) => {
    const earlier = before?.id === open?.id ? before : null;
    before = open;
    if (!open) return [];
    const { question } = open;
    const width = screen.columns - 1;
    const lines = renderQuestion(question, width);
    const room = roomOn(screen);
    const isUnfolded = earlier !== null && earlier.question !== question;
    if (!earlier) printed = 0;
    if (isUnfolded) printed = Math.min(printed, linesBeforePrinted(question, width));
    const from = printed;
    // What was asked for with Ctrl+O comes whole.
    printed = isUnfolded ? lines.length : Math.max(printed, Math.min(lines.length, open.scroll + room));
    const left = lines.length - printed;
    const isMore = left > 0 && printed > from;
    const more = isMore ? [line(`${left} more ${left === 1 ? 'line' : 'lines'}. Space shows more.`)] : [];
    const hasEnded = earlier !== null && printed > from && left === 0 && isLong(open) && !isUnfolded;
    const isNewPage = open.isOpen && (hasEnded || !earlier?.isOpen || earlier.page !== open.page);
    const isLine = open.page.kind === 'line' || open.page.kind === 'deliberate';
    return [
      ...lines.slice(from, printed),
      ...more,
      ...(isNewPage && !isLine ? renderPage(open, width).lines : []),
    ];
  };
  return {
    take,
    measure(question, screen) {
      const lines = renderQuestion(question, screen.columns - 1).length;
      const isPrinted = before?.question === question && printed >= lines;
      return { lines, room: isPrinted ? Math.max(lines, LEAST_ROOM) : roomOn(screen) };
    },
  };
}

function roomOn({ rows }: Screen): number {
  return Math.max(LEAST_ROOM, rows - BESIDE);
}

/** The mark of the line that is typed. */
export function replyMark({ page, question }: OpenQuestion): string {
  if (page.kind === 'deliberate') return DELIBERATE_MARK;
  const choice = page.kind === 'line' ? question.choices.find(({ key }) => key === page.key) : undefined;
  return choice?.asksFor ? `${choice.asksFor}: ` : '? ';
}
