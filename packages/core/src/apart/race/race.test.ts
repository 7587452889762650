import { expect, it } from 'vitest';
import type { AgentResult } from '../../agent/events.js';
import { ModelError } from '../../model/model.js';
import { type RaceAgent, type RaceOptions, runRace } from './race.js';

const done: AgentResult = {
  reason: 'done',
  response: 'Done.',
  turns: 1,
  calls: 0,
  usage: { inputTokens: 1, outputTokens: 1 },
  denials: [],
  changes: [],
};

/** Agents without a machine below them; each event of theirs is a line. */
function stage(lines: string[], { changes = true } = {}) {
  const agentOf = (number: number): RaceAgent =>
    ({
      model: { model: 'a-model' },
      apart: {
        id: `apart-${number}`,
        begin: async ({ prompt }: { prompt?: string }) => void lines.push(`${number} begins: ${prompt}`),
        review: async () => ({
          review: {
            digest: `digest-${number}`,
            summary: '1 file changed',
            items: changes
              ? [{ path: '/w/a', change: 'modify', added: number, removed: 0, warnings: [], unified: '' }]
              : [],
          },
          planned: { changeSet: { changes: [] } },
          refused: [],
        }),
        keep: async ({ digest }: { digest: string }) => void lines.push(`${number} keeps ${digest}`),
        drop: async () => void lines.push(`${number} drops`),
      },
      host: { workspace: { show: (path: string) => path.slice(3) } },
      commands: { shell: { jobs: { end: async () => undefined } } },
      close: async () => void lines.push(`${number} closes`),
    }) as unknown as RaceAgent;
  const options = (sessions: number): Omit<RaceOptions, 'open'> => ({
    prompt: 'do it',
    models: Array.from({ length: sessions }, () => undefined),
    atOnce: sessions,
    clock: { now: () => 0 },
    signal: new AbortController().signal,
  });
  return { agentOf, options };
}

it('a session that can not begin, and one that fails at work, are rows with a reason; the others go on', async () => {
  const lines: string[] = [];
  const { agentOf, options } = stage(lines);
  const race = await runRace({
    ...options(3),
    async open({ number }) {
      if (number === 1) throw new ModelError('auth', 'The key was refused.');
      return {
        agent: agentOf(number),
        work: async () =>
          number === 2
            ? { ...done, reason: 'failed', error: { kind: 'network', message: 'No answer.' } }
            : done,
      };
    },
  });
  expect(race.state.runners.map(({ end }) => [end?.reason, end?.error])).toEqual([
    ['failed', { kind: 'auth', message: 'The key was refused.' }],
    ['failed', { kind: 'network', message: 'No answer.' }],
    ['done', null],
  ]);
  expect(race.best()?.number).toBe(3);
  await race.keep(3, { choice: 'all' }, options(1).signal);
  await race.drop(2);
  await race.close();
  expect(lines).toEqual([
    '2 begins: do it',
    '3 begins: do it',
    '3 keeps digest-3',
    '2 drops',
    '2 closes',
    '3 closes',
  ]);
});

it('no more sessions run at the same time than are allowed, and each gets its turn', async () => {
  const { agentOf, options } = stage([]);
  let [running, most] = [0, 0];
  const race = await runRace({
    ...options(5),
    atOnce: 2,
    open: async ({ number }) => ({
      agent: agentOf(number),
      async work() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return done;
      },
    }),
  });
  expect([most, race.state.runners.filter(({ end }) => end?.reason === 'done').length]).toEqual([2, 5]);
});

it('a cancelled race ends its sessions, begins no others, and drops those that changed nothing', async () => {
  const lines: string[] = [];
  const { agentOf, options } = stage(lines, { changes: false });
  const stop = new AbortController();
  const race = await runRace({
    ...options(3),
    atOnce: 1,
    signal: stop.signal,
    open: async ({ number }) => ({
      agent: agentOf(number),
      async work() {
        stop.abort();
        return { ...done, reason: 'cancelled' };
      },
    }),
  });
  await race.close();
  expect(race.state.runners.map(({ end }) => end?.reason)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(lines).toEqual(['1 begins: do it', '1 drops', '1 closes']);
});
