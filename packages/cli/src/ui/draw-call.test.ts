import type { CallEvent } from '@toolwright/core';
import { expect, it } from 'vitest';
import { drawCall } from './draw-call.js';

const events: CallEvent[] = [
  { type: 'call-start', callId: 'a', tool: 'write_file', description: 'Write notes.txt (1 line)', args: {} },
  { type: 'call-end', callId: 'a', tool: 'write_file', display: 'Created notes.txt with a line of its own.' },
];

it.each([0, undefined, 100])(
  'a call is drawn as wide as a usual terminal where that tells %s columns',
  (columns) => {
    const drawn = drawCall(events, { columns } as { columns: number }, { NO_COLOR: '1' });
    expect(drawn).toContain('Created notes.txt with a line of its own.');
  },
);
