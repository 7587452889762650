import type { FinishedCall } from '../../../app/state.js';
import { type Appearance, indented, type Span, type StyledLine, wrap } from '../line.js';

/** Calls that only looked at something, in one line: `Read a.ts (12 lines), b.ts (3 lines); Search for x (2 matches)`. */
export function renderLooks(
  calls: readonly FinishedCall[],
  width: number,
  appearance: Appearance,
): StyledLine[] {
  let verb = '';
  const spans = calls.flatMap(({ description, end }, index): Span[] => {
    const [first = '', ...rest] = description.split(' ');
    const isSame = first === verb && rest.length > 0;
    verb = first;
    const gap = index === 0 ? '' : isSame ? ', ' : '; ';
    const found = foundText(description, end.lines[0] ?? '');
    return [
      { text: `${gap}${isSame ? rest.join(' ') : description}` },
      ...(found === '' ? [] : [{ text: ` (${found})`, style: { dim: true } }]),
    ];
  });
  const mark: Span = { text: appearance.unicode ? '● ' : '* ', style: { color: 'green' } };
  return indented(wrap(spans, width - 2), mark, { text: '  ' });
}

/** The result of a call, without what its description says already. */
function foundText(description: string, line: string): string {
  const [, named = '', found = ''] = /^\S+ (.+?): (.+)$/.exec(line) ?? [];
  const said = named !== '' && `${description},`.includes(` ${named},`) ? found : line;
  return said
    .replace(/^(?:Found|Listed|Read) /, '')
    .replace(/ \(newest first\)$/, '')
    .replace(/ \((.*)\)$/, ', $1')
    .replace(/ in \.$/, '')
    .replace(/\.$/, '');
}
