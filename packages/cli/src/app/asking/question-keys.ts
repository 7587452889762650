import type { UserEvent } from '../events.js';
import type { InputLine } from '../input-line.js';
import type { Key } from '../key.js';
import { grantLimits } from '../question.js';
import { choicesOf, isLong, type OpenQuestion } from './open-question.js';

/** Gives the line that a key makes of another; null when the key changes nothing. */
type Edit = (input: InputLine, key: Key) => InputLine | null;

/** The meaning of a key while a question is open. A key that is no answer does nothing. */
export function questionIntent(open: OpenQuestion, key: Key, edit: Edit): UserEvent | null {
  if (!open.isOpen) return null;
  switch (open.page.kind) {
    case 'answers':
      return answerIntent(open, key);
    case 'always':
      return scrollIntent(open, key) ?? alwaysIntent(open, key);
    case 'line':
    case 'deliberate':
      return lineIntent(open, key, edit);
  }
}

/** Esc leads back from a page of the question; null where there is none to leave. */
export function backIntent({ isOpen, page }: OpenQuestion): UserEvent | null {
  return isOpen && page.kind !== 'answers' ? { type: 'question-turned', page: { kind: 'answers' } } : null;
}

function answerIntent(open: OpenQuestion, key: Key): UserEvent | null {
  if (key.name === 'end-of-input') return { type: 'turn-cancelled' };
  const scrolled = scrollIntent(open, key);
  if (scrolled || key.name !== 'text') return scrolled;
  const choices = choicesOf(open);
  const typed = key.text.toLowerCase();
  const choice = choices.find((each) => each.key === typed);
  // `1` may be the beginning of `12`.
  const isBeginning = choices.some((each) => each.key.length > 1 && each.key.startsWith(typed));
  if (isBeginning) return { type: 'question-turned', page: { kind: 'line', key: '' }, text: typed };
  if (!choice) return null;
  const isUnseen = isLong(open) && !open.wasSeen;
  if (isUnseen && choice.opensAlways) return { type: 'hinted', hint: UNSEEN };
  if (isUnseen && choice.agrees)
    return { type: 'question-turned', page: { kind: 'deliberate', key: choice.key } };
  if (choice.opensAlways)
    return { type: 'question-turned', page: { kind: 'always', scope: 'session', limit: 0 } };
  if (choice.asksFor) return { type: 'question-turned', page: { kind: 'line', key: choice.key } };
  return { type: 'reply-given', reply: { key: choice.key, text: '' } };
}

export const UNSEEN = 'Scroll to the end first: arrow keys, Space or PgDn.';

function scrollIntent(open: OpenQuestion, key: Key): UserEvent | null {
  const { lines, room } = open.size;
  if (!isLong(open)) return null;
  const page = Math.max(1, room - 2);
  const name = key.name === 'text' ? key.text : key.name;
  const by: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    ' ': page,
    'page-down': page,
    'page-up': -page,
    home: -lines,
    end: lines,
  };
  const lineCount = by[name];
  return lineCount === undefined ? null : { type: 'question-scrolled', by: lineCount };
}

function alwaysIntent({ page, question }: OpenQuestion, key: Key): UserEvent | null {
  if (page.kind !== 'always') return null;
  if (key.name === 'tab')
    return { type: 'question-turned', page: { ...page, scope: otherScope[page.scope] } };
  if (key.name !== 'text') return null;
  const typed = key.text.toLowerCase();
  if (typed === 's') return { type: 'question-turned', page: { ...page, scope: otherScope[page.scope] } };
  if (typed === 'l')
    return { type: 'question-turned', page: { ...page, limit: (page.limit + 1) % grantLimits.length } };
  const chosen = question.always?.[Number(typed) - 1];
  if (!/^\d$/.test(typed) || !chosen) return null;
  const text = grantLimits[page.limit]?.text ?? '';
  return { type: 'reply-given', reply: { key: chosen[page.scope], text } };
}

const otherScope = { session: 'saved', saved: 'session' } as const;

function lineIntent(open: OpenQuestion, key: Key, edit: Edit): UserEvent | null {
  const { page, reply } = open;
  if (page.kind !== 'line' && page.kind !== 'deliberate') return null;
  if (key.name === 'end-of-input') return reply.text === '' ? { type: 'turn-cancelled' } : null;
  if (key.name !== 'enter') {
    // A pasted newline must not press Enter.
    const typed = key.name === 'paste' ? { ...key, text: key.text.replace(/\s+/g, ' ') } : key;
    const changed = edit(reply, typed);
    return changed && { type: 'reply-changed', reply: changed };
  }
  const text = reply.text.trim();
  if (page.kind === 'deliberate') {
    if (text.toLowerCase() === 'yes') return { type: 'reply-given', reply: { key: page.key, text: '' } };
    return { type: 'reply-rejected', hint: 'Type yes to agree, or press Esc.' };
  }
  if (page.key !== '') return { type: 'reply-given', reply: { key: page.key, text } };
  const choice = choicesOf(open).find((each) => each.key === text.toLowerCase());
  if (choice) return { type: 'reply-given', reply: { key: choice.key, text: '' } };
  return { type: 'reply-rejected', hint: `${text} is not one of the answers. Press Esc to go back.` };
}
