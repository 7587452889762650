import { describe, expect, it } from 'vitest';
import { safe } from '../../../app/safe-text.js';
import { initialState, type State } from '../../../app/state.js';
import { notWorking } from '../../../app/working/working.js';
import { newsOf, statusNews } from './news.js';

const idle: State = { ...initialState, phase: 'idle' };
const call = { id: 1, callId: 'a', description: safe('Run npm test'), output: 'one\n12 of 40\n', since: 2 };
const working: State = { ...idle, phase: 'working', withModel: true, calls: [call], seconds: 2 };
const queued = (steers: boolean): State => ({
  ...working,
  working: { ...notWorking, queue: [{ text: 'then\tb', steers }] },
});

describe('who reads line after line hears', () => {
  it.each<[string, State, State, string[]]>([
    ['that work began', { ...working, calls: [] }, idle, ['Working. Esc or Ctrl+C cancels.']],
    ['of a call that began', working, { ...working, calls: [] }, ['Started: Run npm test']],
    [
      'now and then of a call that lasts, with its last line',
      { ...working, seconds: 12 },
      { ...working, seconds: 11 },
      ['Still running, 10 s: Run npm test. Last line: 12 of 40'],
    ],
    ['nothing of it in between', { ...working, seconds: 13 }, { ...working, seconds: 12 }, []],
    ['of a message that waits', queued(false), working, ['Queued: then␉b']],
    ['that it steers', queued(true), queued(false), ['After the running call: then␉b']],
  ])('%s', (_what, state, before, said) => {
    expect(newsOf(state, before)).toEqual(said);
  });

  it('of the status where more than the tokens has changed', () => {
    const status = { ...notWorking.status, model: 'm', mode: 'default', contextWindow: 1_000 };
    const at = (more: Partial<typeof status>): State => ({
      ...idle,
      working: { ...notWorking, status: { ...status, ...more } },
    });
    expect(statusNews(idle)).toBeNull();
    const first = statusNews(at({ contextTokens: 20, tokens: 20 }));
    expect(first?.sentence).toBe('Status: m, default, 2% context, 20 tokens');
    expect(statusNews(at({ contextTokens: 40, tokens: 60 }))?.key).toBe(first?.key);
    expect(statusNews(at({ contextTokens: 140, tokens: 60 }))?.key).not.toBe(first?.key);
    expect(statusNews(at({ jobs: 1 }))?.key).not.toBe(first?.key);
  });
});
