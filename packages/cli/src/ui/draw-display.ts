import type { WriteStream } from 'node:tty';
import type { DisplayData } from '@toolwright/core';
import { safeDisplay } from '../app/safe-display.js';
import { appearanceOf, type FrontOptions } from './open-front.js';
import { renderDisplay } from './render/display.js';
import { paint } from './render/line.js';

/** Draws a display for one stream: as wide as a terminal, or in a pipe as wide as its lines are. */
export function drawDisplay(
  display: DisplayData,
  { isTTY, columns = Infinity }: Pick<WriteStream, 'isTTY' | 'columns'>,
  environment: FrontOptions['environment'],
): string {
  const appearance = appearanceOf(environment, { color: isTTY ? 'auto' : 'never', linear: false });
  return renderDisplay(safeDisplay(display), { width: columns, lines: Infinity, appearance })
    .map((spans) => paint(spans, appearance).trimEnd())
    .join('\n');
}
