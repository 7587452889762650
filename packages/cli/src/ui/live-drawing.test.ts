import { expect, it, vi } from 'vitest';
import { createVirtualTerminal } from '../../../../integration/terminal/virtual-terminal.js';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { initialState, type State } from '../app/state.js';
import { createLiveDrawing } from './live-drawing.js';

/** A drawing on a screen of 60 columns, and the state behind it. */
function open() {
  const terminal = createVirtualTerminal(60, 20);
  const appearance = { color: false, unicode: true, linear: false };
  const write = (text: string): void => terminal.write(text);
  const drawing = createLiveDrawing({ screen: () => ({ columns: 60, rows: 20 }), appearance, write });
  let state: State = { ...initialState, phase: 'idle' };
  return {
    drawing,
    lines: () => terminal.lines(),
    send(event: AppEvent, isUrgent = true) {
      state = reduce(state, event);
      drawing.update(state, isUrgent);
    },
  };
}

it('a key is shown at once while an answer streams in, and what streams in soon after', async () => {
  const { drawing, lines, send } = open();
  const stream = (text: string): void => send({ type: 'agent', event: { type: 'text-delta', text } }, false);
  send({ type: 'prompt-submitted', text: 'go' });
  stream('one\n\n');
  await vi.waitFor(() => expect(lines()).toContain('one'));
  stream('two\n\n');
  send({ type: 'input-changed', input: { text: 'typed', cursor: 5 } });
  expect(lines()).toContain('+ typed');
  expect(lines()).not.toContain('two');
  await vi.waitFor(() => expect(lines()).toContain('two'));
  expect(lines()).toContain('+ typed');
  drawing.close();
});

it('a call is shown at once, below the words of the answer before it', () => {
  const { drawing, lines, send } = open();
  send({ type: 'prompt-submitted', text: 'go' });
  send({ type: 'agent', event: { type: 'text-delta', text: 'one\n\n' } }, false);
  const call = { callId: 'a', tool: 'run_shell_command', args: {}, effects: [], description: 'Run x' };
  send({ type: 'agent', event: { type: 'call-start', ...call } });
  expect(lines().filter((text) => /one|Run/.test(text))).toEqual(['one', '● Run x']);
  drawing.close();
});

it('a call that runs stands as far from the prompt as when it has ended', () => {
  const { drawing, lines, send } = open();
  const after = (event: AppEvent): string => {
    send(event);
    return lines().slice(0, 3).join('\n');
  };
  const call = { callId: 'a', tool: 'run_shell_command' };
  after({ type: 'prompt-submitted', text: 'go' });
  const runs = { type: 'call-start' as const, ...call, args: {}, effects: [], description: 'Run x' };
  expect(after({ type: 'agent', event: runs })).toBe('> go\n\n● Run x');
  const ended = { type: 'call-end' as const, ...call, display: 'y', exitStatus: 0 };
  expect(after({ type: 'agent', event: ended })).toBe('> go\n\n● Run x');
  drawing.close();
});
