import { ToolError } from '@toolwright/machine/base/errors.js';

const part =
  '(?:code|file|contents?|functions?|class(?:es)?|methods?|imports?|implementations?|document|components?|modules?|lines?|section|text|logic|tests?|styles?|script|html|jsx|markup|body|proof)';
const stays = String.raw`(?:(?:remains?|stays?|is|are|as|the|unchanged|same|omitted|before|it|was|they|were|here|goes|until|continues?|below|above|for|brevity)\b\s*)+`;
const [rest, kept] = ['(?:rest|remainder)', '(?:existing|previous|remaining|unchanged|original)'];

/** Lines that stand for others, without their dots, brackets and marks of comments. */
const elisions = [
  `(?:keep |leave )?(?:all |the )*${rest} of (?:the |this |your |my )?(?:\\w+ )?${part}(?: ${stays})?`,
  `(?:keep |leave |continue with )(?:all |the |your )*${kept} (?:\\w+ )?${part}(?: ${stays})?`,
  `(?:all |the |your |other )*${kept} (?:\\w+ )?${part} ${stays}`,
  '(?:your |the )?(?:existing|previous|unchanged) (?:code|implementation|contents?|imports)',
  'same (?:code )?as before',
  `(?:all )?(?:the )?(?:other (?:\\w+ )?${part}|everything else|${rest}) (?:remains?|stays?|is|are) ${stays}`,
  `(?:other|same|unchanged) (?:\\w+ )?${part} ${stays}`,
  `${part} (?:is |continues )?(?:unchanged|as before)`,
  `(?:${part} )?(?:truncated|omitted|elided|snipped)(?: for brevity)?`,
  `no changes (?:to|in) (?:the )?${rest}.*`,
].map((words) => new RegExp(`^${words}$`, 'i'));

/** Words after dots, or in brackets, that do not stand for others without them. */
const afterDots =
  /^(?:keep\s+)?(?:the\s+)?(?:rest|remaining|remainder|existing|previous|unchanged|same|other|omitted|truncated|more|snip|etc|no changes)\b/i;
const inBrackets = /^(?:unchanged|snip(?:ped)?|no changes|same as (?:before|original|the original))$/i;
const beforeDots = new RegExp(
  `^(?:other|more|${kept})(?: existing)? (?:\\w+ )?${part}$|^${rest} of (?:the )?\\w+$`,
  'i',
);

/** A sentence that ends like this is about what stays, not the end of one that began in the line before. */
const saysSo = /\b(?:unchanged|same|remains?|stays?|brevity|here)\b/i;

/** A line such as "// ... rest of the code unchanged": `certain` where it is a comment with dots that can mean nothing else. */
type Elision = 'certain' | 'likely' | null;

function elisionOf(line: string, isComment: boolean): Elision {
  const [, before = '', words = '', after = ''] =
    /^([\s\-=*~([<.\u2026\\]*)(.*?)([\s\-=*~)\]>.\u2026]*)$/.exec(line) ?? [];
  const isDotted = (marks: string): boolean => /\.{3}|\u2026/.test(marks);
  const isProse = after.trim() === '.' && !saysSo.test(words);
  const dots = [before, after].filter(isDotted).length;
  const isKnown = !isProse && elisions.some((elision) => elision.test(words));
  if (isComment && !isProse && (isKnown ? dots > 0 : dots === 2 && afterDots.test(words))) return 'certain';
  if (isKnown) return 'likely';
  if (isDotted(before)) return afterDots.test(words) ? 'likely' : null;
  if (isDotted(after) && beforeDots.test(words)) return 'likely';
  return /[([]/.test(before) && inBrackets.test(words) ? 'likely' : null;
}

/** Code that spreads a value or takes the rest of them: `...rest,`, `...(more ? [more] : []),`, `...rest: Item[]`. */
function isSpread(line: string): boolean {
  if (/^\.{3}[\w$]+(?:\.[\w$]+)*(?:\(.*\))?[,;]?$/.test(line)) return true;
  return /^\.{3}(?:\(|[\w$]+\s*[:?[])/.test(line) && /[^\w\s().]/.test(line.slice(4));
}

/** Longer lines are no placeholders; some of the expressions take the square of a line's length. */
const LONGEST_LINE = 300;

interface FoundElision {
  number: number;
  line: string;
  isCertain: boolean;
}

/** The line of an elision that the known text does not have; one that is certain before others. */
function findElision(text: string, known: string): FoundElision | null {
  let likely: FoundElision | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const written = line.trim();
    if (written.length > LONGEST_LINE) continue;
    const bare = withoutComment(written);
    const elision = elisionOf(bare, bare !== written);
    if (elision === null || isSpread(bare) || known.includes(written)) continue;
    const found = { number: index + 1, line: written, isCertain: elision === 'certain' };
    if (found.isCertain) return found;
    likely ??= found;
  }
  return likely;
}

function withoutComment(line: string): string {
  return line
    .replace(/^(?:\/\/+|\/\*+|#+|--+|<!--|;+|%+|\(?\*+|\{\/\*|"""|''')\s*/, '')
    .replace(/\s*(?:\*+\/\}?|\*\)|-->|"""|''')$/, '')
    .trim();
}

interface CutOffInput {
  name: string;
  text: string;
  /** The replaced text; null when nothing is replaced. */
  replaced: string | null;
  /** The text of the whole file before, where only a part of it is replaced. */
  file?(): string;
  shown: string;
}

/** Refuses a text that leaves out a part of what it should write. */
export function refuseCutOff({ name, text, replaced, file, shown }: CutOffInput): void {
  const elision = findElision(text, replaced ?? '');
  const lines = (content: string) => content.trimEnd().split('\n').length;
  const isLast = elision !== null && elision.number >= lines(text) - 1;
  const shrinks = replaced !== null && lines(text) < lines(replaced);
  // What grows may leave something out all the same: a function that is written anew without its body.
  const isNew = elision?.isCertain && replaced !== null && !file?.().includes(elision.line);
  if (elision && (shrinks || isNew || (replaced === null && isLast))) {
    throw new ToolError(
      'invalid_params',
      `${name} looks cut off: its line ${elision.number} is ${JSON.stringify(elision.line.slice(0, 120))}, which would be written into ${shown} in place of the text it stands for. Nothing was written. Send the whole text, or change only the lines that differ.`,
    );
  }
}
