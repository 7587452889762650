/** Small plots as SVG: one row for each task, values from left to right. */

const WIDTH = 900;
const NAMES = 220;
const RIGHT = 40;
const ROW = 22;
const TOP = 22;

interface IntervalRow {
  name: string;
  value: number;
  low: number;
  high: number;
}

interface DotRow {
  name: string;
  points: { value: number; passed: boolean }[];
}

/** Shares from 0 to 1 with their intervals. */
export function intervalPlot(rows: readonly IntervalRow[]): string {
  const at = scale(1);
  const marks = rows.map(({ value, low, high }, index) => {
    const y = middleOf(index);
    const tone = value >= 0.5 ? 'good' : 'bad';
    return `<line class="${tone}" x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" stroke-width="2"/><circle class="${tone}" cx="${at(value)}" cy="${y}" r="5"/>`;
  });
  return svg(
    rows,
    marks,
    [0, 0.25, 0.5, 0.75, 1].map((value) => [at(value), `${value * 100} %`]),
  );
}

/** A dot for each run. */
export function dotPlot(rows: readonly DotRow[], unit: string): string {
  const most = roundUp(Math.max(1e-3, ...rows.flatMap(({ points }) => points.map(({ value }) => value))));
  const at = scale(most);
  const marks = rows.map(({ points }, index) =>
    points
      .map(
        ({ value, passed }) =>
          `<circle class="${passed ? 'good' : 'bad'}" cx="${at(value)}" cy="${middleOf(index)}" r="4" fill-opacity=".55"/>`,
      )
      .join(''),
  );
  const steps = [0, 0.25, 0.5, 0.75, 1].map((part): [number, string] => [
    at(part * most),
    round(part * most),
  ]);
  return svg(rows, marks, [...steps.slice(0, -1), [at(most), `${round(most)} ${unit}`]]);
}

function scale(most: number): (value: number) => number {
  return (value) => Math.round(NAMES + (Math.max(0, value) / most) * (WIDTH - NAMES - RIGHT));
}

function middleOf(row: number): number {
  return TOP + row * ROW + ROW / 2;
}

/** Numbers whose quarters are short, too. */
const shortNumbers = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * shortNumbers.find((short) => short * power >= value * (1 - 1e-9))!;
}

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function svg(
  rows: readonly { name: string }[],
  marks: readonly string[],
  steps: (readonly [number, string])[],
): string {
  const height = TOP + rows.length * ROW + 4;
  const grid = steps.map(([x, text], index) => {
    // Half of the last text would stand outside the picture.
    const [at, anchor] = index === steps.length - 1 ? [WIDTH, 'end'] : [x, 'middle'];
    return `<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${height}"/><text x="${at}" y="14" text-anchor="${anchor}">${text}</text>`;
  });
  const names = rows.map(
    ({ name }, index) =>
      `<text x="0" y="${middleOf(index) + 4}">${name.replace(/[&<>"]/g, '').slice(0, 34)}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">${grid.join('')}${names.join('')}${marks.join('')}</svg>`;
}
