import { describe, expect, it } from 'vitest';
import { newQuestion } from '../../../app/asking/open-question.js';
import { safe } from '../../../app/safe-text.js';
import { initialState, type State } from '../../../app/state.js';
import { notWorking } from '../../../app/working/working.js';
import { createNews, statusNews } from './news.js';

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
    const news = createNews();
    news(before);
    expect(news(state)).toEqual(said);
  });

  it('nothing of calls and requests while a question is open, and what still counts of them afterwards', () => {
    const news = createNews();
    const quiet = { ...working, calls: [] };
    news(quiet);
    const open = { ...newQuestion(1, { title: safe('Edit?'), facts: [], choices: [], refusal: 'n' }) };
    const asked = { ...quiet, question: open };
    expect(news(asked)).toEqual([]);
    const ended = { ...call, callId: 'b', description: safe('Run ls') };
    expect(news({ ...asked, calls: [call, ended], passing: 'Trying again in 3 s.' })).toEqual([]);
    expect(news({ ...asked, calls: [call], seconds: 12, hint: 'Only yes agrees.' })).toEqual([
      'Only yes agrees.',
    ]);
    expect(news({ ...working, seconds: 13 })).toEqual(['Started: Run npm test']);
    expect(news({ ...working, seconds: 14 })).toEqual([]);
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
