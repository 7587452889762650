import { ToolError } from '@toolwright/machine/base/errors.js';
import { quote } from '@toolwright/machine/shell/shell-word.js';

/** A part of a command's text: words, or a shell command whose output takes its place. */
export type Segment = { kind: 'text'; text: string } | { kind: 'command'; command: string };

/** The placeholders of a family of formats. Markdown files know both families. */
export interface TemplateKind {
  isToml: boolean;
  /** The name as typed, for a text without a place for what was typed after it. */
  typed: string;
}

/**
 * The text of a custom command with what was typed after its name. The text is cut into its parts before anything is put in, so
 * that what was typed, or what a command prints, is never taken for a command.
 */
export function fillTemplate(template: string, typed: string, kind: TemplateKind): Segment[] {
  const words = wordsOf(typed);
  let isUsed = false;
  const fill = (text: string, put: PutIn): string =>
    text.replace(placeholderOf(kind), (mark: string, number: unknown) => {
      isUsed = true;
      return put(mark, typeof number === 'string' ? (words[Number(number) - 1] ?? '') : null);
    });
  const segments = segmentsOf(template, kind).map(
    (segment): Segment =>
      segment.kind === 'text'
        ? { kind: 'text', text: fill(segment.text, (_mark, word) => word ?? typed) }
        : { kind: 'command', command: fillCommand(segment.command, { fill, typed, words }) },
  );
  if (isUsed || typed === '') return segments;
  const rest = kind.isToml ? `\n\n${kind.typed} ${typed}` : `\n\nARGUMENTS: ${typed}`;
  return [...segments, { kind: 'text', text: rest }];
}

type PutIn = (mark: string, word: string | null) => string;

function placeholderOf({ isToml }: TemplateKind): RegExp {
  return isToml ? /\{\{args\}\}/g : /\{\{args\}\}|\$ARGUMENTS\b|\$([1-9])(?!\d)/g;
}

const MARKDOWN_COMMAND = /!`([^`\n]+)`/;

/** `` !`command` `` in Markdown, `!{command}` with braces that match in both. */
function segmentsOf(template: string, { isToml }: TemplateKind): Segment[] {
  const segments: Segment[] = [];
  let rest = template;
  for (;;) {
    const found = nextCommand(rest, isToml);
    if (!found) break;
    segments.push(
      { kind: 'text', text: rest.slice(0, found.start) },
      { kind: 'command', command: found.command },
    );
    rest = rest.slice(found.end);
  }
  segments.push({ kind: 'text', text: rest });
  return segments.filter((segment) => segment.kind === 'command' || segment.text !== '');
}

/** The shell commands of a text, before anything is filled in. */
export function embeddedCommands(template: string, kind: Pick<TemplateKind, 'isToml'>): string[] {
  return segmentsOf(template, { ...kind, typed: '' }).flatMap((segment) =>
    segment.kind === 'command' ? segment.command : [],
  );
}

function nextCommand(text: string, isToml: boolean): { start: number; end: number; command: string } | null {
  const quoted = isToml ? null : MARKDOWN_COMMAND.exec(text);
  const braced = text.indexOf('!{');
  const end = braced < 0 ? -1 : closingBrace(text, braced + 1);
  if (quoted && (end < 0 || quoted.index < braced))
    return { start: quoted.index, end: quoted.index + quoted[0].length, command: quoted[1]!.trim() };
  return end < 0 ? null : { start: braced, end: end + 1, command: text.slice(braced + 2, end).trim() };
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

interface Typed {
  fill(text: string, put: PutIn): string;
  typed: string;
  words: readonly string[];
}

/** Puts in what was typed as words for the shell, whatever quotes the placeholder stands in. */
function fillCommand(command: string, { fill, typed, words }: Typed): string {
  let offset = 0;
  const state = quotesAt(command);
  return fill(command, (mark, word) => {
    const at = command.indexOf(mark, offset);
    offset = at + mark.length;
    const text = word ?? typed;
    if (state === null) return plainWords(text, command);
    if (state[at] === '"') return text.replace(/[\\"$`]/g, (each) => `\\${each}`);
    if (state[at] === "'") return text.replaceAll("'", `'\\''`);
    // Words stay words in $ARGUMENTS; {{args}} is one.
    return mark === '$ARGUMENTS' ? words.map(quote).join(' ') : quote(text);
  });
}

const NESTING = /[`#]|<<|\$[({'"]/;

/**
 * Gives the arguments for a nested command, where quotes mean something else at each depth: only what no shell reads as more than a word.
 */
function plainWords(text: string, command: string): string {
  if (/^(?!-)[\w./:=@%+, -]*$/.test(text)) return text;
  throw new ToolError(
    'invalid_params',
    `What was typed can't be put safely into the command ${command}, which has $( ), backquotes, a comment or a here-document in it. Type plain words, or change the command.`,
  );
}

/** The quotes that are open before each character; null where that can't be told by looking at quotes alone. */
function quotesAt(command: string): string[] | null {
  if (NESTING.test(command)) return null;
  const state: string[] = [];
  let open = '';
  for (let at = 0; at < command.length; at++) {
    const mark = command[at]!;
    state.push(open);
    if (mark === '\\' && open !== "'") {
      at += 1;
      state.push(open);
    } else if (open === '' && (mark === '"' || mark === "'")) open = mark;
    else if (mark === open) open = '';
  }
  return state;
}

/** Splits at blanks; quotes keep words together. */
function wordsOf(text: string): string[] {
  const word = /(?:[^\s"']+|"[^"]*"|'[^']*'|["'])+/g;
  return Array.from(text.matchAll(word), ([found]) =>
    found.replace(/"([^"]*)"|'([^']*)'/g, (_all, double, single) => double ?? single),
  );
}
