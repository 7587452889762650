import { createClock } from '@toolwright/machine/host/node-host.js';
import { expect, it } from 'vitest';
import type { ScriptLimits, SentCall, SentResult } from './engine/messages.js';
import { scriptThreadFromSource } from './fixtures/script-thread-from-source.js';
import { runScript } from './run-script.js';

const MB = 1024 * 1024;
const limits: ScriptLimits = {
  computeMs: 400,
  totalMs: 5_000,
  memoryBytes: 48 * MB,
  calls: 50,
  sentCharacters: 1_000_000,
  receivedCharacters: 1_000_000,
  printedCharacters: 10_000,
};

interface Ran {
  ending: string;
  printed: string;
  batches: string[][];
}

/** `echo` gives its params, `fail` fails, every other tool never ends until it is told to. */
async function answer({ id, tool, params }: SentCall, signal: AbortSignal): Promise<SentResult> {
  if (tool === 'echo') return { id, isOk: true, json: params };
  if (tool === 'fail')
    return { id, isOk: false, json: JSON.stringify({ code: 'not_found', message: 'It is not there.' }) };
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return { id, isOk: false, json: '{}' };
}

async function run(code: string, more: Partial<ScriptLimits> = {}): Promise<Ran> {
  const batches: string[][] = [];
  let printed = '';
  const ending = await runScript({
    code,
    tools: ['echo', 'fail', 'hang'],
    limits: { ...limits, ...more },
    thread: await scriptThreadFromSource(),
    clock: createClock(),
    call: (calls, signal) => {
      batches.push(calls.map(({ tool }) => tool));
      return Promise.all(calls.map((call) => answer(call, signal)));
    },
    printed: (text) => {
      printed += text;
    },
    signal: new AbortController().signal,
  });
  const said =
    ending.kind === 'returned' ? ending.text : ending.kind === 'threw' ? ending.message : ending.why;
  return { ending: `${ending.kind}: ${said}`, printed, batches };
}

it.each([
  ['a returned text as it is', 'return "a\\nb"', 'returned: a\nb'],
  ['a returned object as JSON', 'return { a: [1, null] }', 'returned: {"a":[1,null]}'],
  ['nothing', 'const a = 1;', 'returned: '],
  ['the result of a call', 'return (await tools.echo({ a: 1 })).a', 'returned: 1'],
  ['a tool that is not named at the start', 'return typeof tools.mcp__server__tool', 'returned: function'],
  [
    'the error of a call',
    'try { await tools.fail() } catch (e) { return [e.name, e.code, e.message] }',
    'returned: ["ToolError","not_found","It is not there."]',
  ],
  ['calls that were not awaited', 'tools.echo({}); return 1', 'returned: 1'],
  [
    'an error with its line',
    'const a = 1;\nnull.x',
    "threw: TypeError: cannot read property 'x' of null\n    at <anonymous> (script.js:2:1)",
  ],
  ['an error of the syntax', 'const = 1', 'threw: SyntaxError: variable name expected\n    at script.js:1:'],
  [
    'an uncaught error of a call, with the line of the call',
    '\nawait tools.fail({})',
    'threw: ToolError: It is not there.\n    at <anonymous> (script.js:2',
  ],
])('a script gives %s', async (_, code, ending) => {
  expect((await run(code)).ending).toContain(ending);
});

it('a script prints each value on a line of its own', async () => {
  const { printed } = await run('print("a", 1, { b: 2 }, undefined); console.log(new TypeError("no"));');
  expect(printed).toMatch(/^a 1 \{"b":2\} undefined\nTypeError: no\n {4}at .*script\.js:1/);
});

it('hands on together what was called before the script waits, and what comes later after that', async () => {
  const { batches } = await run(
    'await Promise.all([1, 2, 3].map(async (n) => { await tools.echo({ n }); await tools.fail({}).catch(() => 0); }))',
  );
  expect(batches).toEqual([
    ['echo', 'echo', 'echo'],
    ['fail', 'fail', 'fail'],
  ]);
});

it('cuts what it prints at the limit, and says so once', async () => {
  const { ending, printed } = await run('for (let i = 0; i < 9; i++) print("x".repeat(9)); return "done"', {
    printedCharacters: 35,
  });
  const line = 'xxxxxxxxx\n';
  expect(printed).toBe(`${line.repeat(3)}[what it printed beyond 35 characters is left out]\n`);
  expect(ending).toBe('returned: done');
});

it('hands over results up to a limit; later calls fail, and are not made', async () => {
  const { ending, batches } = await run(
    `const failures = [];
    const results = await Promise.all(Array.from({ length: 40 }, () =>
      tools.echo({ a: 'x'.repeat(100) }).catch((e) => (failures.push(e.code + ' ' + e.message), null))));
    return [results.filter(Boolean).length, failures.length, failures[0], failures[39 - 20]]`,
    { receivedCharacters: 2_200 },
  );
  const made = batches.flat().length;
  expect(made).toBe(32);
  expect(JSON.parse(ending.replace('returned: ', ''))).toEqual([
    20,
    20,
    "too_large The call was made, but its result is left out: the results of a script's calls hold 2,200 characters at most.",
    "too_large The call was not made: the results of a script's calls hold 2,200 characters at most. Ask for less, or use several scripts.",
  ]);
});

it.each([
  ['the parameters of its calls', { sentCharacters: 2_200 }, "await tools.echo({ a: 'x'.repeat(3e3) })"],
  ['what it prints', { printedCharacters: 2_200 }, "print('x'.repeat(3e3))"],
  ['what it gives', { printedCharacters: 2_200 }, "return 'x'.repeat(3e3)"],
])('a script is told the limit of %s with a comma between its thousands', async (_what, more, code) => {
  const { ending, printed } = await run(code, more);
  expect(`${ending} ${printed}`).toContain(' 2,200 characters');
});
