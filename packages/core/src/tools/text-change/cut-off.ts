import { ToolError } from '@toolwright/machine/base/errors.js';

const dots = String.raw`(?:\.{3}|\u2026)`;
const parts = `(?:code|file|content|contents|function|functions|class|method|methods|imports?|implementation|document|component|lines?|section|text|logic|tests?)`;
/** Signs that a text was shortened where a file needs it whole: "// ... rest of the code unchanged". */
const elisions = [
  new RegExp(
    String.raw`^${dots}\s*[([]?(?:keep\s+)?(?:the\s+)?(?:rest|remaining|remainder|existing|previous|unchanged|same|other|omitted|truncated|more|snip|etc)\b`,
    'i',
  ),
  new RegExp(
    String.raw`^\(?\[?(?:the\s+)?(?:rest|remainder)\s+of\s+(?:the\s+|this\s+|your\s+)?(?:\w+\s+)?${parts}\b.*(?:unchanged|same|omitted|as before|as is|remains?|here|${dots})`,
    'i',
  ),
  new RegExp(
    String.raw`^(?:existing|previous|remaining|other|unchanged)\s+(?:\w+\s+)?${parts}\s+(?:unchanged|omitted|remains?|stays?|here|goes here|as before|${dots})`,
    'i',
  ),
  new RegExp(
    String.raw`^[[(<]?\s*(?:${dots})?\s*(?:${parts}\s+)?(?:truncated|omitted|elided|snipped)(?:\s+for\s+brevity)?\s*(?:${dots})?\s*[\])>]?\.?$`,
    'i',
  ),
  new RegExp(String.raw`^[([]?(?:unchanged\s+${parts}|${parts}\s+(?:is\s+)?unchanged)[\])]?\.?$`, 'i'),
];

/** Code that spreads a value or takes the rest of them: `...rest,`, `...(more ? [more] : []),`, `...rest: Item[]`. */
function isSpread(line: string): boolean {
  if (/^\.{3}[\w$]+(?:\.[\w$]+)*(?:\(.*\))?[,;]?$/.test(line)) return true;
  return /^\.{3}(?:\(|[\w$]+\s*[:?[])/.test(line) && /[^\w\s().]/.test(line.slice(4));
}

/** The line of an elision that the known texts do not have. */
function findElision(text: string, known: readonly string[]): { number: number; line: string } | null {
  for (const [index, line] of text.split('\n').entries()) {
    const bare = withoutComment(line);
    if (!elisions.some((elision) => elision.test(bare)) || isSpread(bare)) continue;
    if (!known.some((other) => other.includes(line.trim()))) return { number: index + 1, line: line.trim() };
  }
  return null;
}

function withoutComment(line: string): string {
  return line
    .trim()
    .replace(/^(?:\/\/+|\/\*+|#+|--+|<!--|;+|%+|\*+|\{\/\*|"""|''')\s*/, '')
    .replace(/\s*(?:\*\/\}?|-->|"""|''')$/, '')
    .trim();
}

interface CutOffInput {
  name: string;
  text: string;
  /** The replaced text; null when nothing is replaced. */
  replaced: string | null;
  shown: string;
}

/** Refuses a text that leaves out a part of what it should write. */
export function refuseCutOff({ name, text, replaced, shown }: CutOffInput): void {
  const elision = findElision(text, [replaced ?? '']);
  const lines = (content: string) => content.trimEnd().split('\n').length;
  const isLast = elision !== null && elision.number >= lines(text) - 1;
  const shrinks = replaced !== null && lines(text) < lines(replaced);
  if (elision && (shrinks || (replaced === null && isLast))) {
    throw new ToolError(
      'invalid_params',
      `${name} looks cut off: its line ${elision.number} is ${JSON.stringify(elision.line.slice(0, 120))}, which would be written into ${shown} in place of the text it stands for. Nothing was written. Send the whole text, or change only a part with edit.`,
    );
  }
}
