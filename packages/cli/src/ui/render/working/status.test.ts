import { expect, it } from 'vitest';
import { initialState, type State } from '../../../app/state.js';
import { notWorking, type Status } from '../../../app/working/working.js';
import { textOfLine } from '../line.js';
import { renderStatus } from './status.js';

const appearance = { color: false, unicode: true, linear: false };

function shown(status: Partial<Status>, more: Partial<State> = {}, width = 120): string | null {
  const working = { ...notWorking, status: { ...notWorking.status, ...status } };
  const line = renderStatus({ ...initialState, phase: 'idle', working, ...more }, width, appearance);
  return line && textOfLine(line);
}

const known: Partial<Status> = { model: 'qwen3-max', mode: 'default', contextWindow: 200_000 };

it('one line tells the model, the mode, the context, tokens and cost, branch, sandbox and jobs', () => {
  expect(shown({})).toBeNull();
  expect(shown(known)).toBe('qwen3-max · default');
  const all = {
    contextTokens: 24_000,
    tokens: 31_450,
    cost: 0.0213,
    branch: 'main',
    sandbox: 'confined',
    jobs: 1,
  };
  expect(shown({ ...known, ...all }, { isApart: true })).toBe(
    'qwen3-max · default · apart · 12% context · 31k tokens · $0.021 · main · confined · 1 job',
  );
});

it('from two thirds of the context on the line tells when the earlier part will be summarised', () => {
  expect(shown({ ...known, contextTokens: 128_000 })).toBe('qwen3-max · default · 64% context');
  expect(shown({ ...known, contextTokens: 130_000 })).toBe(
    'qwen3-max · default · 65% of context, summary at 80%',
  );
  expect(shown({ ...known, contextTokens: 162_000 })).toContain('81% of context, summary next');
});

it('what goes on stands first, and the line is cut where not even that fits', () => {
  const working: Partial<State> = { phase: 'working', withModel: true, seconds: 3 };
  expect(shown(known, working)).toBe('Waiting for the model, 3 s (Esc cancels) · qwen3-max · default');
  expect(shown(known, working, 30)).toBe('Waiting for the model, 3 s (E…');
});

it('a narrow line leaves out whole facts, what can go wrong last', () => {
  const status = { ...known, contextTokens: 24_000, tokens: 31_450, branch: 'main', sandbox: 'confined' };
  expect(shown(status, {}, 60)).toBe('qwen3-max · default · 12% context · 31k tokens · main');
  expect(shown(status, {}, 40)).toBe('qwen3-max · default · 12% context · main');
  const risky = { ...status, mode: 'yolo', sandbox: 'not confined', jobs: 2 } as const;
  expect(shown(risky, { isApart: true }, 40)).toBe('yolo · apart · not confined · 2 jobs');
});
