import type { ComponentChildren } from 'preact';
import { safeText } from './safe-text.js';

/** Markdown as elements of ours: headings, lists, quotes, tables, code, emphasis, links. HTML in it stays text. */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(safeText(text))}</div>;
}

const fence = /^ {0,3}(```+|~~~+)\s*([\w+-]*)/;
const heading = /^ {0,3}(#{1,6})\s+(.*)$/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function blocksOf(text: string): ComponentChildren[] {
  const lines = text.split('\n');
  const blocks: ComponentChildren[] = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index]!;
    const [, mark] = fence.exec(line) ?? [];
    if (mark !== undefined) {
      const end = lines.findIndex((each, at) => at > index && each.trim().startsWith(mark));
      const last = end === -1 ? lines.length : end;
      blocks.push(<pre class="code">{lines.slice(index + 1, last).join('\n')}</pre>);
      index = last + 1;
      continue;
    }
    const [, level, title = ''] = heading.exec(line) ?? [];
    if (level !== undefined) {
      // The page has headings of its own above these.
      blocks.push(<p class={`h h${Math.min(level.length, 4)}`}>{inline(title)}</p>);
      index += 1;
      continue;
    }
    const taken = listAt(lines, index) ?? quoteAt(lines, index) ?? tableAt(lines, index);
    if (taken) {
      blocks.push(taken.block);
      index = taken.next;
      continue;
    }
    if (line.trim() === '') {
      index += 1;
      continue;
    }
    let last = index;
    while (last < lines.length && isPlain(lines[last]!)) last += 1;
    blocks.push(<p>{withBreaks(lines.slice(index, Math.max(last, index + 1)))}</p>);
    index = Math.max(last, index + 1);
  }
  return blocks;
}

function isPlain(line: string): boolean {
  return (
    line.trim() !== '' &&
    !fence.test(line) &&
    !heading.test(line) &&
    !item.test(line) &&
    !line.startsWith('>')
  );
}

interface Taken {
  block: ComponentChildren;
  next: number;
}

function listAt(lines: readonly string[], from: number): Taken | null {
  if (!item.test(lines[from]!)) return null;
  const rows: { depth: number; text: string[] }[] = [];
  const isOrdered = /^\s*\d/.test(lines[from]!);
  let next = from;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    const [, indent = '', , text = ''] = item.exec(line) ?? [];
    if (item.test(line)) rows.push({ depth: Math.min(3, Math.floor(indent.length / 2)), text: [text] });
    else if (line.trim() !== '' && /^\s/.test(line)) rows.at(-1)?.text.push(line.trim());
    else break;
  }
  const List = isOrdered ? 'ol' : 'ul';
  return {
    block: (
      <List>
        {rows.map(({ depth, text }) => (
          <li class={`depth${depth}`}>{withBreaks(text)}</li>
        ))}
      </List>
    ),
    next,
  };
}

function quoteAt(lines: readonly string[], from: number): Taken | null {
  let next = from;
  while (next < lines.length && lines[next]!.startsWith('>')) next += 1;
  if (next === from) return null;
  const inside = lines.slice(from, next).map((line) => line.replace(/^>\s?/, ''));
  return { block: <blockquote>{withBreaks(inside)}</blockquote>, next };
}

function tableAt(lines: readonly string[], from: number): Taken | null {
  const isRow = (line = ''): boolean => /^\s*\|.*\|\s*$/.test(line);
  if (!isRow(lines[from]) || !/^\s*\|[\s:|-]+\|\s*$/.test(lines[from + 1] ?? '')) return null;
  let next = from + 2;
  while (isRow(lines[next])) next += 1;
  const cells = (line: string): string[] =>
    line
      .trim()
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  return {
    block: (
      <div class="scroll" tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              {cells(lines[from]!).map((cell) => (
                <th scope="col">{inline(cell)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.slice(from + 2, next).map((line) => (
              <tr>
                {cells(line).map((cell) => (
                  <td>{inline(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    ),
    next,
  };
}

function withBreaks(lines: readonly string[]): ComponentChildren[] {
  return lines.flatMap((line, index) => (index === 0 ? inline(line) : [<br />, ...inline(line)]));
}

const spans =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(\S(?:.*?\S)?)\*|\[([^\]\n]*)\]\(([^()\s]*)\)|(https?:\/\/[^\s<>()[\]`*]+)/g;

/** A link shows where it leads: its words can't be trusted. */
function inline(text: string): ComponentChildren[] {
  const made: ComponentChildren[] = [];
  let last = 0;
  for (const match of text.matchAll(spans)) {
    const [whole, , code, strong, emphasis, words, target, address] = match;
    made.push(text.slice(last, match.index));
    last = match.index + whole.length;
    if (code !== undefined) made.push(<code>{code}</code>);
    else if (strong !== undefined) made.push(<strong>{inline(strong)}</strong>);
    else if (emphasis !== undefined) made.push(<em>{inline(emphasis)}</em>);
    else if (target !== undefined) made.push(link(words ?? '', target));
    else if (address !== undefined) made.push(link('', address));
  }
  made.push(text.slice(last));
  return made;
}

function link(words: string, target: string): ComponentChildren {
  if (!/^https?:\/\//i.test(target)) return `${words} (${target})`;
  return (
    <>
      {words !== '' && words !== target ? `${words} ` : ''}
      <a class="foreign" href={target} target="_blank" rel="noopener noreferrer nofollow">
        {target}
        <span aria-hidden="true"> ↗</span>
        <span class="unseen"> (another site)</span>
      </a>
    </>
  );
}
