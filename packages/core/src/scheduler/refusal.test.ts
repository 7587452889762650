import { expect, it } from 'vitest';
import { cancelledResult } from '../tools/tools.js';
import type { Refusal } from './call.js';
import { refuse, withOutput } from './refusal.js';

it.each<[Refusal, string, string]>([
  [
    { by: 'rule', reason: 'plan mode does not allow writing a.txt' },
    'Denied: plan mode does not allow writing a.txt. Do not try to get around this; find another way or tell the user.',
    'Plan mode does not allow writing a.txt.',
  ],
  [
    { by: 'rule', reason: 'plan mode does not allow writing a.txt', brief: 'plan mode: not written' },
    'Denied: plan mode does not allow writing a.txt. Do not try to get around this; find another way or tell the user.',
    'Plan mode: not written.',
  ],
  [
    { by: 'user', reason: 'no reason was given' },
    'The user refused this call: no reason was given',
    'You said no.',
  ],
  [
    { by: 'user', reason: 'use b.ts instead' },
    'The user refused this call: use b.ts instead',
    'You said no: use b.ts instead',
  ],
  [
    { by: 'nobody-to-ask', reason: 'default mode asks before writing a.txt' },
    'Denied: default mode asks before writing a.txt, and there is nobody to ask.',
    'Not done: default mode asks before writing a.txt, and nobody could be asked.',
  ],
])('the scheduler words a refusal for the model and for the user: %j', (denied, forModel, forUser) => {
  const { result } = refuse(denied);
  expect(result.llmContent).toBe(forModel);
  expect(result.error).toEqual({ code: 'denied', message: forModel });
  expect(result.returnDisplay).toBe(forUser);
});

const ran = {
  kind: 'exec',
  title: '',
  command: 'rm a',
  effects: [],
  output: 'gone',
  summary: '1 file deleted',
} as never;

it('a user who said no has seen the output of the command, the model has not', () => {
  const { result } = withOutput(refuse({ by: 'user', reason: 'no reason was given' }), ran);
  expect(result.llmContent).toBe(
    'The user refused this call: no reason was given\nThe command ran on a copy of the workspace and its changes were dropped (1 file deleted). It printed:\ngone',
  );
  expect(result.returnDisplay).toBe('You said no.');
});

it('a user who cancelled a command on a copy is told in one line that nothing was kept, then what it printed', () => {
  const { result } = withOutput({ result: cancelledResult(AbortSignal.abort()), notes: [] }, ran);
  expect(result.returnDisplay).toBe('Cancelled. It ran on a copy, and nothing it changed was kept.\ngone');
});
