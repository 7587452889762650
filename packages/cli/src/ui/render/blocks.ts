import { type SafeFile, tailOf } from '../../app/safe-text.js';
import {
  type Block,
  type CallEnd,
  type FinishedCall,
  FOLDED_LINES,
  hasMoreOutput,
  isFolded,
  RUNNING_LINES,
  type RunningCall,
  type Tone,
} from '../../app/state.js';
import { renderChanges, renderDiff } from './diff.js';
import { firstLines, leftOut, renderDisplay } from './display.js';
import {
  type Appearance,
  clipped,
  indented,
  line,
  type Span,
  type Style,
  type StyledLine,
  widthOf,
  wrap,
} from './line.js';
import { renderMarkdown } from './markdown.js';
import { renderShares } from './plots/shares.js';
import { renderLooks } from './working/looks.js';

/** Bounds one line of a call's output: some are a whole file. */
const ROWS_OF_A_LINE = 10;

/** Something finished, as lines that fit the width. */
export function renderFinished(block: Block, width: number, appearance: Appearance): StyledLine[] {
  switch (block.kind) {
    case 'prompt':
      return renderPrompt(block.text, width);
    case 'answer':
      return renderMarkdown(block.text, width, appearance);
    case 'call':
      return [
        ...callHeading(headingOf(block), { failed: block.end.failed, width, appearance }),
        ...callEnd(block.end, width, appearance),
      ];
    case 'looks':
      return renderLooks(block.calls, width, appearance);
    case 'text':
      return rowsOf(block.text, width, toneStyles[block.tone]);
    case 'diff':
      return renderDiff(block.diff, width);
    case 'shares':
      return renderShares(block.shares, width, appearance);
    case 'replied': {
      const mark = appearance.unicode ? '  → ' : '  -> ';
      const label = wrap(line(block.label, { bold: true }), width - mark.length);
      const title = wrap(line(block.title), width - 2);
      return [
        ...indented(title, { text: '? ', style: { color: 'yellow', bold: true } }, { text: '  ' }),
        ...indented(label, { text: mark }, { text: ' '.repeat(mark.length) }),
      ];
    }
  }
}

/** Calls and remarks stand close together; everything else has air around it. */
export function hasAir(earlier: Block['kind'] | null, following: Block['kind']): boolean {
  if (earlier === null) return false;
  const [before, next] = [asCall(earlier), asCall(following)];
  const isClose = before === 'replied' && next === 'call';
  return !isClose && (next !== before || next === 'prompt');
}

function asCall(kind: Block['kind']): Block['kind'] {
  return kind === 'looks' ? 'call' : kind;
}

const toneStyles: Record<Tone, Style> = {
  plain: {},
  good: { color: 'green' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
};

function renderPrompt(text: string, width: number): StyledLine[] {
  const rows = text.split('\n').flatMap((row) => wrap(line(row, { bold: true }), width - 2));
  return indented(rows, { text: '> ', style: { color: 'blue' } }, { text: '  ' });
}

/** A row of a list goes on under its second column. */
function rowsOf(text: string, width: number, style: Style): StyledLine[] {
  return text.split('\n').flatMap((row) => {
    const lead = /^ *(?:\S+(?: \S+)* {2,})?/.exec(row)?.[0] ?? '';
    const hang = widthOf(lead) < width / 2 ? lead : '';
    const parts = wrap(line(row.slice(hang.length), style), width - widthOf(hang));
    return indented(parts, { text: hang, style }, { text: ' '.repeat(widthOf(hang)) });
  });
}

/** A change of one file is headed as its question was. */
function headingOf({ description, end: { display } }: FinishedCall): string {
  const file = onlyFile(display);
  if (!file) return description;
  const verb = file.change === 'create' ? 'Create' : (/^\S+/.exec(description)?.[0] ?? '');
  return `${verb} ${file.path} +${file.added} -${file.removed}`;
}

function onlyFile(display: CallEnd['display']): SafeFile | undefined {
  return display?.kind === 'diff' && display.files.length === 1 ? display.files[0] : undefined;
}

function callHeading(
  description: string,
  { failed, width, appearance }: { failed?: boolean; width: number; appearance: Appearance },
): StyledLine[] {
  const mark: Span = {
    text: appearance.unicode ? '● ' : '* ',
    style: { color: failed === undefined ? 'yellow' : failed ? 'red' : 'green' },
  };
  return indented(wrap(line(description, { bold: true }), width - 2), mark, { text: '  ' });
}

function callEnd(end: CallEnd, width: number, appearance: Appearance): StyledLine[] {
  const { errors, isWhole } = end;
  const warned = isWhole ? errors?.all : errors && [`${errors.brief}${UNFOLD}`];
  const rows = (warned ?? []).flatMap((text) => wrap(line(text, { color: 'yellow' }), width - 2));
  return [...resultOf(end, width, appearance), ...indented(rows, { text: '  ' })];
}

function resultOf(end: CallEnd, width: number, appearance: Appearance): StyledLine[] {
  const inset = { text: '  ' };
  const room = {
    width: width - 2,
    lines: end.isWhole ? Number.POSITIVE_INFINITY : FOLDED_LINES,
    appearance,
    more: isFolded(end) ? UNFOLD : '',
  };
  const file = onlyFile(end.display);
  if (file) return indented(firstLines(renderChanges(file, room.width), room), inset);
  if (end.display) return indented(renderDisplay(end.display, room), inset);
  const isError = end.failed && end.status === undefined;
  const style: Style = { color: end.refused ? 'yellow' : 'red' };
  const prefix = isError && !end.refused ? 'failed: ' : '';
  const wrapped = (text: string, index = 1): StyledLine[] => {
    // Failures and the way a command ended are sentences of ours; the rest is output.
    const isOutput = !isError || (end.refused && index > 0);
    const preformatted = isOutput && !text.startsWith('[');
    const rows = wrap(line(text, isOutput ? { dim: true } : style), width - 2, { preformatted });
    const kept = rows.slice(0, ROWS_OF_A_LINE);
    return [...kept, ...leftOut(rows.length - kept.length, ['row', ' of this line'], appearance)];
  };
  const lines = end.lines.flatMap((text, index) => wrapped(`${index === 0 ? prefix : ''}${text}`, index));
  const status = end.status === undefined ? [] : [line(end.status, { color: 'red', bold: true })];
  // The note about lines left out stands above the end of the output, or below its beginning.
  const more = leftOut(end.more, ['line', unfoldable(end)], appearance);
  const changes = end.diff ? renderDisplay({ kind: 'diff', files: end.diff }, room) : [];
  return indented(
    [...status, ...lines, ...more, ...end.last.flatMap((text) => wrapped(text)), ...changes],
    inset,
  );
}

const UNFOLD = ' (Ctrl+O shows all)';

function unfoldable({ all }: CallEnd): string {
  return all ? UNFOLD : '';
}

/** Seconds after which a call tells how long it runs. */
const TELLS_TIME = 2;

interface RunningPlace {
  width: number;
  appearance: Appearance;
  /** Into the turn. */
  seconds: number;
  isOpen: boolean;
}

/** A number above the lines of any screen. */
const MOST_OPEN_LINES = 200;

/** A call that has not ended: its description, how long it runs, and the end of what it printed, or all that is kept of it. */
export function renderRunning(
  call: RunningCall,
  { width, appearance, seconds, isOpen }: RunningPlace,
): StyledLine[] {
  const tail = tailOf(call.output, isOpen ? MOST_OPEN_LINES : RUNNING_LINES).map((row) =>
    clipped(line(row, { dim: true }), width - 2, appearance),
  );
  const lasts = seconds - call.since;
  const opens = !isOpen && hasMoreOutput(call) ? ', Ctrl+O opens' : '';
  const time = lasts >= TELLS_TIME ? ` (${durationText(lasts)}${opens})` : '';
  return [
    ...callHeading(`${call.description}${time}`, { width, appearance }),
    ...indented(tail, { text: '  ' }),
  ];
}

export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
