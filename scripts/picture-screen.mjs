/** A screen that keeps the style of each character, and draws itself as a picture. */
const palette = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'];
const bright = ['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'];
const steps = [0, 95, 135, 175, 215, 255];

function indexed(number) {
  if (number < 8) return palette[number];
  if (number < 16) return bright[number - 8];
  if (number > 231) return `rgb(${Array(3).fill(8 + (number - 232) * 10)})`;
  const at = number - 16;
  return `rgb(${[Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step])})`;
}

export function createPictureScreen(columns, rows) {
  const lines = [[]];
  const at = { row: 0, column: 0 };
  let style = {};
  let pending = '';
  const lineAt = (row) => (lines[row] ??= []);
  const top = () => Math.max(0, lines.length - rows);

  function put(text) {
    const isWide = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]|^\p{Emoji_Presentation}/u.test(
      text,
    );
    lineAt(at.row)[at.column] = { text, style };
    if (isWide) lineAt(at.row)[at.column + 1] = { text: '', style };
    at.column += isWide ? 2 : 1;
  }
  function restyle(parameters) {
    const codes = (parameters || '0').split(';').map(Number);
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index];
      if (code === 0) style = {};
      else if (code === 1) style = { ...style, bold: true };
      else if (code === 2) style = { ...style, dim: true };
      else if (code === 3) style = { ...style, italic: true };
      else if (code === 4) style = { ...style, underline: true };
      else if (code === 7) style = { ...style, reverse: true };
      else if (code >= 30 && code < 38) style = { ...style, color: palette[code - 30] };
      else if (code >= 90 && code < 98) style = { ...style, color: bright[code - 90] };
      else if (code === 38 || code === 48) {
        style = { ...style, [code === 38 ? 'color' : 'behind']: indexed(codes[index + 2]) };
        index += 2;
      }
    }
  }
  function control(parameters, final) {
    const count = Number(parameters || 1);
    if (final === 'm') restyle(parameters);
    else if (final === 'A') at.row = Math.max(top(), at.row - count);
    else if (final === 'C') at.column = Math.min(columns - 1, at.column + count);
    else if (final === 'K') lineAt(at.row).length = Math.min(lineAt(at.row).length, at.column);
    else if (final === 'J') {
      lineAt(at.row).length = Math.min(lineAt(at.row).length, at.column);
      lines.length = at.row + 1;
    }
  }
  const shown = () => Array.from({ length: rows }, (_, row) => lines[top() + row] ?? []);
  return {
    columns,
    rows,
    write(data) {
      const text = pending + data;
      const cut = /\x1b(?:\[[0-9;?]*|\][^\x07]*)?$/.exec(text)?.index ?? text.length;
      pending = text.slice(cut);
      const tokens = text
        .slice(0, cut)
        .matchAll(/\x1b\[([0-9;?]*)([A-Za-z])|\x1b\][^\x07]*\x07|\P{M}\p{M}*/gsu);
      for (const [token, parameters, final] of tokens) {
        if (final) control(parameters, final);
        else if (token === '\r') at.column = 0;
        else if (token === '\n') {
          at.row += 1;
          while (lines.length <= at.row) lines.push([]);
        } else if (token >= ' ' && !token.startsWith('\x1b')) put(token);
      }
    },
    text: () =>
      shown()
        .map((line) =>
          Array.from(line, (cell) => cell?.text ?? ' ')
            .join('')
            .trimEnd(),
        )
        .join('\n'),
    cells: () => shown().map((line) => [...line]),
  };
}

const PLAIN = '#c9d1d9';
const [WIDE, HIGH, EDGE] = [8.4, 18, 14];
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Neighbours of one style are one piece. */
function pieces(line) {
  const found = [];
  for (let column = 0; column < line.length; column++) {
    const { text, style } = line[column] ?? { text: ' ', style: {} };
    const last = found.at(-1);
    if (last && JSON.stringify(last.style) === JSON.stringify(style)) last.text += text;
    else found.push({ column, text, style });
  }
  return found;
}

function lookOf({ bold, italic, underline, dim }) {
  return [
    ...(bold ? [' font-weight="bold"'] : []),
    ...(italic ? [' font-style="italic"'] : []),
    ...(underline ? [' text-decoration="underline"'] : []),
    ...(dim ? [' opacity="0.6"'] : []),
  ].join('');
}

/** Draws a row of a screen as shapes. */
function drawRow(line, row) {
  return pieces(line).flatMap(({ column, text, style }) => {
    const [x, y] = [EDGE + column * WIDE, EDGE + row * HIGH];
    const color = style.reverse ? '#0d1117' : (style.color ?? PLAIN);
    const behind = style.reverse ? (style.color ?? PLAIN) : style.behind;
    const size = [...text].length * WIDE;
    const box = behind
      ? [`<rect x="${x.toFixed(1)}" y="${y}" width="${size.toFixed(1)}" height="${HIGH}" fill="${behind}"/>`]
      : [];
    const look = lookOf(style);
    // Word by word: wherever a font is a little wider, the columns stay.
    const words = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
      const left = x + [...text.slice(0, index)].length * WIDE;
      return `<text x="${left.toFixed(1)}" y="${y + 13}"${color === PLAIN ? '' : ` fill="${color}"`}${look}>${escaped(word)}</text>`;
    });
    return [...box, ...words];
  });
}

function drawing({ columns, rows, title }, shapes) {
  const width = Math.ceil(columns * WIDE) + 2 * EDGE;
  const height = rows * HIGH + 2 * EDGE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="${PLAIN}" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${shapes.join('\n')}
</svg>
`;
}

export function drawScreen(screen, title) {
  const { columns, rows } = screen;
  return drawing({ columns, rows, title }, screen.cells().flatMap(drawRow));
}

/**
 * Screens that follow each other for ever. A row is drawn once for all the screens that have it; a viewer that moves nothing shows
 * the screen that is looked at longest.
 */
export function drawCast(frames, { columns, rows, title }) {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const longest = frames.reduce((best, frame) => (frame.seconds > best.seconds ? frame : best));
  const drawn = new Map();
  let from = 0;
  for (const frame of frames) {
    const until = from + frame.seconds;
    for (const [row, line] of frame.cells.entries()) {
      const shapes = drawRow(line, row).join('');
      if (shapes === '') continue;
      const known = drawn.get(shapes) ?? { times: [], isStill: false };
      drawn.set(shapes, known);
      known.isStill ||= frame === longest;
      const last = known.times.at(-1);
      if (last?.until === from) last.until = until;
      else known.times.push({ from, until });
    }
    from = until;
  }
  const shapes = Array.from(drawn, ([shape, { times, isStill }]) => {
    const values = [times[0].from === 0 ? null : 'hidden'];
    const at = [times[0].from === 0 ? null : 0];
    for (const each of times) {
      values.push('visible', each.until < total ? 'hidden' : null);
      at.push(each.from / total, each.until < total ? each.until / total : null);
    }
    const keyTimes = at.filter((time) => time !== null).map((time) => Number(time.toFixed(4)));
    const moves = `<animate attributeName="visibility" calcMode="discrete" dur="${total.toFixed(2)}s" repeatCount="indefinite" values="${values.filter((value) => value !== null).join(';')}" keyTimes="${keyTimes.join(';')}"/>`;
    return `<g visibility="${isStill ? 'visible' : 'hidden'}">${moves}${shape}</g>`;
  });
  return drawing({ columns, rows, title }, shapes);
}
