import type { WriteStream } from 'node:tty';
import type { CallEvent } from '@toolwright/core';
import { withAgentEvent } from '../app/reduce-agent.js';
import { initialState } from '../app/state.js';
import { columnsOf } from '../base/columns.js';
import { appearanceOf, type FrontOptions } from './open-front.js';
import { renderFinished } from './render/blocks.js';
import { paint } from './render/line.js';

/** Draws a call that has ended as a conversation shows it: with the change that was agreed to, or the no. */
export function drawCall(
  events: readonly CallEvent[],
  terminal: Pick<WriteStream, 'columns'>,
  environment: FrontOptions['environment'],
): string {
  const appearance = appearanceOf(environment, { color: 'auto', linear: false });
  const { blocks } = events.reduce(withAgentEvent, initialState);
  return blocks
    .flatMap((block) => renderFinished(block, columnsOf(terminal) - 1, appearance))
    .map((spans) => `${paint(spans, appearance).trimEnd()}\n`)
    .join('');
}
