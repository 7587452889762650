import { inHtml } from './in-html.js';

/** Small plots: the names of the rows as text, their values from left to right as SVG, as wide as the page is. */

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
export function intervalPlot(title: string, rows: readonly IntervalRow[]): string {
  const at = scale(1);
  const marks = rows.map(({ value, low, high }, index) => {
    const y = middleOf(index);
    const tone = value >= 0.5 ? 'good' : 'bad';
    return `<line class="${tone}" x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" stroke-width="2"/><circle class="${tone}" cx="${at(value)}" cy="${y}" r="5"/>`;
  });
  return plot({ title, rows, marks, labels: quarters.map((part) => `${part * 100} %`) });
}

/** A dot for each run. */
export function dotPlot(title: string, rows: readonly DotRow[]): string {
  const most = roundUp(Math.max(1e-3, ...rows.flatMap(({ points }) => points.map(({ value }) => value))));
  const at = scale(most);
  const marks = rows.map(({ points }, index) =>
    points
      .map(
        ({ value, passed }) =>
          `<circle class="${passed ? 'good' : 'bad'}" cx="${at(value)}" cy="${middleOf(index)}" r="4" fill-opacity="${passed ? 0.55 : 0}"/>`,
      )
      .join(''),
  );
  return plot({ title, rows, marks, labels: quarters.map((part) => round(part * most)) });
}

const quarters = [0, 0.25, 0.5, 0.75, 1];

/** The place of a value from left to right, as a share of the width. */
function scale(most: number): (value: number) => string {
  return (value) => `${Number(((Math.max(0, value) / most) * 100).toFixed(2))}%`;
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

interface Plot {
  title: string;
  rows: readonly { name: string }[];
  marks: readonly string[];
  /** The words at 0, a quarter, a half, three quarters and all of the width. */
  labels: readonly string[];
}

function plot({ title, rows, marks, labels }: Plot): string {
  const height = TOP + rows.length * ROW + 4;
  const grid = labels.map((text, index) => {
    const x = `${index * 25}%`;
    return `<g class="${index % 2 === 1 ? 'quarter' : 'half'}"><line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${height}"/><text x="${x}" y="14" text-anchor="middle">${text}</text></g>`;
  });
  const names = rows.map(({ name }) => `<div title="${inHtml(name)}">${inHtml(name)}</div>`);
  const drawing = `<svg width="100%" height="${height}" role="img" aria-label="${inHtml(title)}">${grid.join('')}${marks.join('')}</svg>`;
  return `<h2>${inHtml(title)}</h2><div class="plot"><div class="names">${names.join('')}</div><div class="drawing">${drawing}</div></div>`;
}
