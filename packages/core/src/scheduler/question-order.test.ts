import { expect, it } from 'vitest';
import { command } from '../permission/fixtures/shell-effects.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { ConfirmRequest, Outcome } from './call.js';
import { createQuestionOrder, createSlots } from './question-order.js';

const runs: string[] = [];

/** A tool that writes a file of its own and is planned when `planned` is. */
function writer(name: string, planned: Promise<unknown> = Promise.resolve()) {
  const path = `/work/${name}.ts`;
  return scriptedTool(name, {
    effects: [{ kind: 'write', path }],
    run: async () => {
      runs.push(name);
      return { llmContent: 'written', returnDisplay: 'written' };
    },
    more: {
      async shouldConfirmExecute() {
        await planned;
        return {
          kind: 'edit',
          title: `Edit ${name}.ts`,
          diff: { kind: 'diff', files: [] },
          effects: [{ kind: 'write', path }],
        };
      },
    },
  });
}

function asking(...answers: (Outcome | ((request: ConfirmRequest) => Outcome))[]) {
  runs.length = 0;
  return scriptedConfirm(...answers);
}

const seen = ({ asked }: { asked: ConfirmRequest[] }): unknown[] =>
  asked.map(({ tool, queue }) => [tool, queue?.number, queue?.count, queue?.others.map((each) => each.tool)]);

const once = { kind: 'once' } as const;

it('questions come in the order of the calls, whichever was planned first, and say how many there are', async () => {
  const later = new Promise((resolve) => setTimeout(resolve, 20));
  const confirm = asking(once, once, once);
  const tools = [writer('first', later), writer('second'), writer('third')];
  const bench = await createCallBench({ tools, mode: 'default', confirm });
  await bench.run([['first'], ['second'], ['third']]);
  expect(seen(confirm)).toEqual([
    ['first', 1, 3, ['second', 'third']],
    ['second', 2, 3, ['third']],
    ['third', 3, 3, []],
  ]);
  expect(JSON.parse(JSON.stringify(confirm.asked))).toEqual(confirm.asked);
});

it('one yes can answer those that wait, and they are recorded as agreed to', async () => {
  const all = ({ queue }: ConfirmRequest): Outcome => ({
    kind: 'once',
    also: queue?.others.map(({ callId }) => callId),
  });
  const confirm = asking(all);
  const bench = await createCallBench({
    tools: [writer('first'), writer('second')],
    mode: 'default',
    confirm,
  });
  const settled = await bench.run([['first'], ['second']]);
  expect(settled.map(({ denied }) => denied)).toEqual([undefined, undefined]);
  expect(confirm.asked).toHaveLength(1);
  expect(runs.toSorted()).toEqual(['first', 'second']);
  const decisions = bench.records.filter(({ type }) => type === 'call-decision');
  expect(decisions).toMatchObject([{ outcome: 'once' }, { outcome: 'once' }]);
});

it('a yes to a call that nobody was shown is no answer', async () => {
  const confirm = asking({ kind: 'once', also: ['another'] });
  const bench = await createCallBench({ tools: [writer('first')], mode: 'default', confirm });
  const [settled] = await bench.run([['first']]);
  expect(settled?.denied?.reason).toContain('also names calls that are not in the queue');
});

it('more calls than may run side by side, one of them behind another, are all asked about in order', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `w${index}`);
  const confirm = asking(...Array.from({ length: 13 }, () => once));
  const tools = names.map((name) => writer(name));
  const bench = await createCallBench({ tools, mode: 'default', confirm, more: { limits: { parallel: 2 } } });
  // The second call writes what the first wrote, so it is planned when that is done.
  await bench.run([['w0'], ['w0'], ...names.slice(1).map((name): [string] => [name])]);
  expect(confirm.asked.map(({ tool }) => tool)).toEqual(['w0', ...names]);
});

it('a change that waits for an earlier one is counted, and so are those that one yes has answered', async () => {
  const also = ({ queue }: ConfirmRequest): Outcome => ({
    kind: 'once',
    also: queue?.others.map(({ callId }) => callId),
  });
  const confirm = asking(also, once);
  const bench = await createCallBench({
    tools: [writer('first'), writer('second')],
    mode: 'default',
    confirm,
  });
  await bench.run([['first'], ['second'], ['first']]);
  expect(seen(confirm)).toEqual([
    ['first', 1, 3, ['second']],
    ['first', 3, 3, []],
  ]);
});

it('a plan that takes long does not hold up the first question, and a cancelled batch asks no more', async () => {
  const controller = new AbortController();
  const confirm = asking(() => {
    controller.abort({ kind: 'user' });
    return { kind: 'cancel' };
  });
  const never = new Promise(() => undefined);
  const bench = await createCallBench({
    tools: [writer('first'), writer('second', never), writer('third')],
    mode: 'default',
    confirm,
    more: { limits: { graceMs: 20 } },
  });
  const settled = await bench.run([['first'], ['second'], ['third']], controller.signal);
  expect(settled).toHaveLength(3);
  expect(seen(confirm)).toEqual([['first', 1, 3, ['third']]]);
  expect(runs).toEqual([]);
});

it('a call that is asked about again, because the user edited it, keeps its number', () => {
  const order = createQuestionOrder({
    calls: 2,
    slots: createSlots(2),
    sleep: async () => undefined,
    outlook: () => 'not',
  });
  const [first, second] = [order.begin(0), order.begin(1)];
  const request = (callId: string) => ({ callId }) as ConfirmRequest;
  void second.turn(request('b'), new AbortController().signal);
  const queue = { number: 1, count: 2, others: [request('b')] };
  expect(first.placed(request('a'))).toEqual({ callId: 'a', queue });
  expect(first.placed(request('a'))).toEqual({ callId: 'a', queue });
  first.leave();
  expect(second.placed(request('b')).queue).toEqual({ number: 2, count: 2, others: [] });
});

it('numbers of questions never contradict each other where nobody knows yet if a command is asked about', async () => {
  const make = command(null);
  const unknown = (name: string) =>
    scriptedTool(name, {
      effects: [make],
      more: {
        shouldConfirmExecute: async () =>
          name === 'quiet'
            ? false
            : { kind: 'exec', title: '', command: 'make', directory: '/work', effects: [make] },
      },
    });
  const confirm = asking(once, once, once);
  const tools = [writer('first'), unknown('make'), unknown('quiet'), writer('last')];
  const bench = await createCallBench({
    tools,
    mode: 'default',
    rules: [{ verdict: 'allow', text: 'quiet', source: 'the test' }],
    confirm,
  });
  await bench.run([['first'], ['make'], ['quiet'], ['last']]);
  const places = confirm.asked.map(({ tool, queue }) => [tool, queue?.number, queue?.count, queue?.orMore]);
  expect(places).toEqual([
    ['first', 1, 2, true],
    ['make', 2, 3, true],
    ['last', 3, 3, undefined],
  ]);
});

it('a call that is cancelled at its question leaves the others, which are asked about in turn', async () => {
  const confirm = asking(
    ({ callId }) => {
      bench.cancelCalls(callId);
      return once;
    },
    once,
    once,
  );
  const tools = [writer('first'), writer('second'), writer('third')];
  const bench = await createCallBench({ tools, mode: 'default', confirm });
  const settled = await bench.run([['first'], ['second'], ['third']]);
  expect(settled.map(({ error }) => error?.code)).toEqual(['cancelled', undefined, undefined]);
  expect(seen(confirm).map((each) => (each as unknown[]).slice(0, 3))).toEqual([
    ['first', 1, 3],
    ['second', 2, 3],
    ['third', 3, 3],
  ]);
  expect(runs.toSorted()).toEqual(['second', 'third']);
});
