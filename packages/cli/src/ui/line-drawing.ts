import { terminalSafe } from '@toolwright/core/front-end';
import type { InputLine } from '../app/input-line.js';
import type { State } from '../app/state.js';
import type { OpenPicker } from '../app/typing/picker.js';
import type { Drawing, DrawingOptions } from './drawing.js';
import { renderQuestion } from './render/asking/question.js';
import { createQuestionTold, replyMark } from './render/asking/question-lines.js';
import { expandTabs, line, paint, type StyledLine, widthOf } from './render/line.js';
import { numberedLines, previewedLines } from './render/typing/picker.js';
import { createColors } from './render/wanted-colors.js';
import { createNews } from './render/working/news.js';
import { createScrollback } from './scrollback.js';

/** A drawing that only appends lines: for terminals that can't move the cursor, and for screen readers. */
export function createLineDrawing({ write, screen, appearance }: DrawingOptions): Drawing {
  // The terminal has echoed the prompts as they were typed.
  const colors = createColors(appearance, () => latest && update(latest));
  const scrollback = createScrollback({ appearance, colors, showsPrompts: false });
  const typed = createTypedLine(write);
  const questionTold = createQuestionTold();
  const news = createNews();
  let before: State | undefined;
  let latest: State | undefined;

  function print(lines: readonly StyledLine[]): void {
    for (const spans of lines) write(`${paint(spans, appearance)}\r\n`);
  }
  function update(state: State): void {
    latest = state;
    // What is printed can't be drawn again, so it comes with its colours.
    if (!colors.lasting(() => changesOf(state, screen().columns))) return;
    if (lastPrompt(state) > lastPrompt(before)) typed.end();
    const asked = questionTold.take(state, screen());
    const lines = [
      ...scrollback.take(state, screen()),
      ...news(state).map((text) => line(text)),
      ...pickerNews(state, before, screen().columns),
      ...asked,
    ];
    if (lines.length > 0) typed.end();
    print(lines);
    before = state;
    typed.show(inputOf(state));
  }

  return {
    update,
    measure: (question) => questionTold.measure(question, screen()),
    redraw(state, { isFresh } = { isFresh: false }) {
      if (isFresh) typed.forget();
      update(state);
    },
    clear: () => undefined,
    pointing: () => () => null,
    close() {
      typed.end();
      if (latest) print(scrollback.take(latest, screen(), { isEnd: true }));
      before = undefined;
      latest = undefined;
    },
  };
}

/** What is printed in no block and may have the colours of a language. */
function changesOf({ question, typing: { picker } }: State, width: number): StyledLine[] {
  if (question) return renderQuestion(question.question, width);
  return picker?.preview ? previewedLines(picker, width) : [];
}

interface TypedLine {
  show(wanted: { mark: string; input: InputLine } | null): void;
  /** Ends the line: the next text begins on one of its own. */
  end(): void;
  /** Somebody else has written. */
  forget(): void;
}

/** The line that the user types into, as far as it was echoed. */
function createTypedLine(write: (text: string) => void): TypedLine {
  let typed: { mark: string; text: string } | null = null;
  function end(): void {
    if (typed) write('\r\n');
    typed = null;
  }
  return {
    show(wanted) {
      if (!wanted) return;
      const { mark, input } = wanted;
      const more = typed?.mark === mark ? echo(typed.text, input.text) : null;
      if (more === null) end();
      write(more ?? mark + (echo('', input.text) ?? ''));
      typed = { mark, text: input.text };
    },
    end,
    forget() {
      typed = null;
    },
  };
}

/** The line the user types into; null while there is none. */
function inputOf({ phase, question, input, typing }: State): { mark: string; input: InputLine } | null {
  if (question) return question.isOpen ? { mark: replyMark(question), input: question.reply } : null;
  if (typing.picker) return { mark: '= ', input: pickerInput(typing.picker) };
  if (phase === 'starting') return null;
  // While something runs a message waits; an empty line would be one more to read.
  if (phase !== 'idle') return input.text === '' ? null : { mark: '+ ', input };
  return { mark: typing.vim?.mode === 'normal' ? ': ' : '> ', input };
}

function pickerInput({ spec, typed }: OpenPicker): InputLine {
  return spec.typed === 'secret' ? { text: '*'.repeat(typed.text.length), cursor: typed.cursor } : typed;
}

/** A list is said when it opens and when it was narrowed; another value of its dial, and a preview that was asked for, when they change. */
function pickerNews({ typing: { picker } }: State, before: State | undefined, width: number): StyledLine[] {
  if (!picker) return [];
  const said = (texts: readonly string[]): StyledLine[] => texts.map((text) => line(text));
  const earlier = before?.typing.picker;
  if (earlier?.id !== picker.id) return said([picker.spec.title, ...numberedLines(picker)]);
  if (earlier.matches !== picker.matches) return said(numberedLines(picker));
  if (picker.preview && earlier.preview !== picker.preview) return previewedLines(picker, width);
  return earlier.dial === picker.dial ? [] : said([`${picker.spec.dial?.name}: ${picker.dial}`]);
}

/** Grows with every prompt. */
function lastPrompt(state: State | undefined): number {
  return state?.blocks.findLast(({ kind }) => kind === 'prompt')?.id ?? 0;
}

/**
 * Bytes that make a line showing one text show another without moving the cursor: more at its end,
 * or less. Null when that is not enough.
 */
export function echo(before: string, after: string): string | null {
  const [shown, wanted] = [asPrinted(before), asPrinted(after)];
  if (wanted.startsWith(shown)) return wanted.slice(shown.length).replaceAll('\n', '\r\n');
  const removed = shown.startsWith(wanted) ? shown.slice(wanted.length) : null;
  if (removed === null || removed.includes('\n')) return null;
  return '\b \b'.repeat(widthOf(removed));
}

function asPrinted(text: string): string {
  // A joiner is printed with the letter that follows it.
  return expandTabs(terminalSafe(text.replace(/[\u200c\u200d]$/, '')));
}
