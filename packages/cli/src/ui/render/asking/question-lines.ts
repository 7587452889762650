import type { OpenQuestion } from '../../../app/asking/open-question.js';
import type { State } from '../../../app/state.js';
import type { Screen } from '../frame.js';
import type { StyledLine } from '../line.js';
import { renderPage, renderPrinted, renderQuestion } from './question.js';

/** A question for who reads line after line: all of it when it is asked, its answers when it opens and when they change. */
export function questionNews(
  { question }: State,
  before: State | undefined,
  { screen }: { screen: Screen },
): readonly StyledLine[] {
  if (!question) return [];
  const width = screen.columns - 1;
  const earlier = before?.question?.id === question.id ? before.question : null;
  const asked = earlier ? [] : renderQuestion(question.question, width);
  const isUnfolded = earlier !== null && earlier.question !== question.question;
  const unfolded = isUnfolded ? renderPrinted(question.question, width) : [];
  const isNewPage = question.isOpen && (!earlier?.isOpen || earlier.page !== question.page);
  const isLine = question.page.kind === 'line' || question.page.kind === 'deliberate';
  return [...asked, ...unfolded, ...(isNewPage && !isLine ? renderPage(question, width).lines : [])];
}

/** The mark of the line that is typed. */
export function replyMark({ page, question }: OpenQuestion): string {
  if (page.kind === 'deliberate') return 'It is longer than the screen. Type yes to agree: ';
  const choice = page.kind === 'line' ? question.choices.find(({ key }) => key === page.key) : undefined;
  return choice?.asksFor ? `${choice.asksFor}: ` : '? ';
}
