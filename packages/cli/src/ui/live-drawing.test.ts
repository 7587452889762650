import { expect, it } from 'vitest';
import { createVirtualTerminal } from '../../../../integration/terminal/virtual-terminal.js';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { initialState, type State } from '../app/state.js';
import { createLiveDrawing } from './live-drawing.js';

it('a call that runs stands as far from the prompt as when it has ended', () => {
  const terminal = createVirtualTerminal(60, 20);
  const appearance = { color: false, unicode: true, linear: false };
  const write = (text: string): void => terminal.write(text);
  const drawing = createLiveDrawing({ screen: () => ({ columns: 60, rows: 20 }), appearance, write });
  let state: State = { ...initialState, phase: 'idle' };
  const after = (event: AppEvent): string => {
    state = reduce(state, event);
    drawing.update(state);
    return terminal.lines().slice(0, 3).join('\n');
  };
  const call = { callId: 'a', tool: 'run_shell_command' };
  after({ type: 'prompt-submitted', text: 'go' });
  const runs = { type: 'call-start' as const, ...call, args: {}, effects: [], description: 'Run x' };
  expect(after({ type: 'agent', event: runs })).toBe('> go\n\n● Run x');
  const ended = { type: 'call-end' as const, ...call, display: 'y', exitStatus: 0 };
  expect(after({ type: 'agent', event: ended })).toBe('> go\n\n● Run x');
  drawing.close();
});
