import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const docs = new URL('../docs/', import.meta.url);

/** Draws the beginning of the example in docs/try.md, which a test plays with the real program, as a picture for the README. */
export function drawTry() {
  const [, console] = /```console\n(.*?)```/s.exec(readFileSync(new URL('try.md', docs), 'utf8')) ?? [];
  const [first = ''] = (console ?? '').split('\n$ toolwright');
  return draw(first.split('\n'), { title: 'toolwright try runs an install script on a copy' });
}

const LINE = 19;
const LETTER = 8.45;

/** Lines of a terminal as a picture, as wide as the longest or as told. */
export function draw(lines, { title, columns = Math.max(...lines.map((line) => line.length)) }) {
  const width = Math.ceil(columns * LETTER) + 32;
  const height = lines.length * LINE + 32;
  const texts = lines.map(
    (line, index) =>
      `<text x="16" y="${30 + index * LINE}" fill="${colourOf(line)}" xml:space="preserve">${escaped(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
${texts.join('\n')}
</svg>
`;
}

function colourOf(line) {
  if (line.startsWith('$')) return '#ffffff';
  if (/^(?:❯|\? |> |\/ )/.test(line)) return '#79c0ff';
  if (/^(?:\+\+\+|---|@@)/.test(line)) return '#8b949e';
  if (/^(?:delete|-)/.test(line)) return '#ff7b72';
  if (/^(?:create|\+)/.test(line)) return '#7ee787';
  return '#c9d1d9';
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('try.svg', docs), drawTry());
