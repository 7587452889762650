import { createClock } from '@toolwright/machine/host/node-host.js';
import { describe, expect, it } from 'vitest';
import type { ScriptLimits } from './engine/messages.js';
import { scriptThreadFromSource } from './fixtures/script-thread-from-source.js';
import { runScript } from './run-script.js';

const MB = 1024 * 1024;
const limits: ScriptLimits = {
  computeMs: 10_000,
  totalMs: 20_000,
  memoryBytes: 48 * MB,
  calls: 20,
  sentCharacters: 100_000,
  receivedCharacters: 5 * MB,
  printedCharacters: 1_000,
};

/** The names that only Node has, looked for by every way to the global object: a script inside the program would find them. */
const outside = `['process', 'require', 'module', 'fetch', 'WebAssembly', 'setTimeout', 'setInterval', 'Worker', 'Buffer', 'XMLHttpRequest', 'Deno', 'Bun', '__dirname', 'navigator', 'localStorage', 'importScripts', 'MessageChannel']`;
const reaching = (globals: string): string =>
  `const g = ${globals}; return ${outside}.filter((name) => typeof g[name] !== 'undefined').join() || 'nothing'`;

/** Attempts to get out, to take more than is given, and to confuse what stands outside. */
const attempts: [attempt: string, code: string, ending: RegExp][] = [
  ['names of Node on the global object', reaching('globalThis'), /^returned: nothing$/],
  ['the global object of a Function', reaching("Function('return this')()"), /^returned: nothing$/],
  [
    '[].constructor.constructor',
    reaching("[].constructor.constructor('return this')()"),
    /^returned: nothing$/,
  ],
  [
    'the constructor of a function of ours',
    reaching("print.constructor('return this')()"),
    /^returned: nothing$/,
  ],
  [
    'the constructor of a tool',
    reaching("tools.echo.constructor.constructor('return this')()"),
    /^returned: nothing$/,
  ],
  [
    'the constructor of the promise of a call',
    reaching("tools.echo({}).constructor.constructor('return this')()"),
    /^returned: nothing$/,
  ],
  [
    'the constructor of the error of a call',
    'try { await tools.fail({}) } catch (error) { ' +
      reaching("error.constructor.constructor('return this')()") +
      ' }',
    /^returned: nothing$/,
  ],
  [
    'the constructor of a result',
    reaching("(await tools.echo({ a: [] })).a.constructor.constructor('return this')()"),
    /^returned: nothing$/,
  ],
  [
    'an async function and a generator as constructors',
    reaching("await (async () => {}).constructor('return globalThis')()"),
    /^returned: nothing$/,
  ],
  ['indirect eval', reaching("(0, eval)('this')"), /^returned: nothing$/],
  [
    'the caller of the script',
    'return String((function f() { return f.caller })())',
    /^threw: TypeError|^returned: (null|undefined)/,
  ],
  [
    'import of a module of Node',
    "return Object.keys(await import('node:fs'))",
    /^threw: ReferenceError|^threw: TypeError|^threw: \w*Error/,
  ],
  ['a static import', "import fs from 'node:fs'", /^threw: SyntaxError/],
  ['require', "return require('child_process').execSync('id')", /^threw: ReferenceError/],
  ['process.binding', "return process.binding('fs')", /^threw: ReferenceError/],
  ['fetch', "return await fetch('http://127.0.0.1/')", /^threw: ReferenceError/],
  ['a WebAssembly module', 'return new WebAssembly.Memory({ initial: 1 })', /^threw: ReferenceError/],
  [
    'shared memory across the border',
    'return await tools.echo({ a: new SharedArrayBuffer(8) })',
    /^returned: \{"a":\{\}\}/,
  ],
  [
    'waiting on an atomic',
    'return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)',
    /^threw: |^stopped: /,
  ],
  [
    'closing the wrapper and going on outside',
    '}); globalThis.out = 1; (async () => { return typeof process',
    /^threw: |^returned: undefined|^stopped: /,
  ],
  ['a loop that never ends', 'for (;;) {}', /^stopped: it computed longer than 0\.25 s/],
  [
    'a loop that catches its own end',
    'for (;;) try { for (;;) {} } catch {}',
    /^stopped: it computed longer/,
  ],
  ['a loop in a finally', 'try { for (;;) {} } finally { for (;;) {} }', /^stopped: it computed longer/],
  [
    'a chain of promises that never ends',
    'const go = () => Promise.resolve().then(go); await go()',
    /^stopped: it computed longer/,
  ],
  [
    'microtasks without end',
    'const go = () => queueMicrotask(go); go(); await new Promise(() => {})',
    /^stopped: it computed longer/,
  ],
  [
    'a regular expression that never ends',
    "return /^(a+)+$/.test('a'.repeat(50) + 'b')",
    /^stopped: it computed longer/,
  ],
  [
    'a sort that never ends',
    'return Array.from({ length: 1e5 }, (_, i) => -i).sort(() => { for (;;) {} })',
    /^stopped: it computed longer/,
  ],
  [
    'a built-in that looks at no clock',
    "return Array(1e9).join('').length",
    /^stopped: (it computed longer|its engine)/,
  ],
  [
    'a getter that never ends, in what is returned',
    'return { get a() { for (;;) {} } }',
    /^stopped: it computed longer/,
  ],
  [
    'toJSON that never ends, in params',
    'await tools.echo({ toJSON() { for (;;) {} } })',
    /^stopped: it computed longer/,
  ],
  ['memory by arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))', /^(stopped|threw): .*memory/],
  ['memory by one buffer', 'return new Uint8Array(2 ** 31)', /^threw: |^stopped: /],
  ['memory by text', "let s = 'x'; for (;;) s += s", /^threw: InternalError|^threw: RangeError/],
  ['memory by repeat', "return 'x'.repeat(2 ** 29)", /^threw: /],
  [
    'memory by objects that catch the error',
    'const a = []; for (;;) try { for (;;) a.push({ a }) } catch {}',
    /^stopped: /,
  ],
  [
    'memory by closures in promises',
    'const a = []; for (;;) a.push(new Promise(() => a))',
    /memory|^stopped: /,
  ],
  ['deep recursion', 'const f = () => f() + 1; return f()', /^threw: RangeError/],
  [
    'deep recursion of a proxy',
    'let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); return p.x',
    /^threw: |^stopped: /,
  ],
  ['deeply nested JSON', "return JSON.parse('['.repeat(1e6))", /^threw: |^stopped: /],
  ['deeply nested source', "return eval('('.repeat(1e6))", /^threw: |^stopped: /],
  [
    'a pattern with a million groups',
    "return new RegExp('('.repeat(1e6) + ')'.repeat(1e6))",
    /^threw: |^stopped: /,
  ],
  [
    'a promise that never settles',
    'await new Promise(() => {})',
    /^stopped: it waits for a promise that nothing settles/,
  ],
  ['a call that never ends', 'await tools.hang({})', /^stopped: it took longer than 1 s/],
  [
    'calls without end',
    'for (;;) await tools.echo({})',
    /^threw: RangeError: A script makes 20 calls at most/,
  ],
  [
    'ten thousand calls at once',
    'await Promise.all(Array.from({ length: 1e4 }, () => tools.echo({})))',
    /^threw: RangeError: A script makes 20 calls at most|^stopped: /,
  ],
  ['giant params', "await tools.echo({ a: 'x'.repeat(1e6) })", /^threw: RangeError: The parameters/],
  [
    'giant params in parts',
    "for (;;) await tools.echo({ a: 'x'.repeat(9e4) })",
    /^threw: RangeError: The parameters/,
  ],
  ['a giant name of a tool', "await tools['x'.repeat(1e6)]({})", /^threw: RangeError: The parameters/],
  [
    'results without end',
    'const a = []; for (;;) a.push(...await Promise.all([1, 2, 3].map(() => tools.large({}))))',
    /^threw: ToolError: The call was made, but its result is left out/,
  ],
  ['a giant result', "return 'x'.repeat(1e6)", /^stopped: what it gave is longer than 1,000 characters/],
  ['printing without end', "for (;;) print('x'.repeat(500))", /^stopped: it computed longer/],
  [
    'an error with a hostile message',
    "const e = new Error(); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
    /^threw: It threw an error that can not be shown/,
  ],
  [
    'an error with a hostile stack',
    "const e = new Error('x'); e.stack = { toString() { throw e } }; throw e",
    /^threw: It threw an error that can not be shown/,
  ],
  [
    'throwing a proxy',
    'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })',
    /^threw: It threw/,
  ],
  ['throwing null', 'throw null', /^threw: It threw null/],
  [
    'a prototype in params',
    'return await tools.echo(JSON.parse(\'{"__proto__":{"polluted":1}}\')).then((r) => typeof ({}).polluted)',
    /^returned: undefined/,
  ],
  [
    'the prototype of objects, changed',
    'Object.prototype.isOk = false; Object.prototype.id = 7; return await tools.echo({ a: 1 })',
    /^returned: \{"a":1/,
  ],
  [
    'JSON, replaced',
    "JSON.stringify = () => '{'; JSON.parse = () => 0; return await tools.echo({ a: 1 })",
    /^returned: \{"a":1\}/,
  ],
  [
    'Promise and Map, replaced',
    'Promise.prototype.then = Map.prototype.get = () => { throw 1 }; return 5',
    /^returned: 5|^threw: |^stopped: /,
  ],
  ['params that are no object', "await tools.echo('x')", /^threw: TypeError: tools\.echo takes one object/],
  [
    'answering a call itself',
    'const p = tools.echo({ a: 1 }); p.resolve?.(2); return await p',
    /^returned: \{"a":1\}/,
  ],
];

async function attempt(code: string, more: Partial<ScriptLimits>): Promise<string> {
  const ending = await runScript({
    code,
    tools: ['echo', 'fail', 'hang', 'large'],
    limits: { ...limits, ...more },
    thread: await scriptThreadFromSource(),
    clock: createClock(),
    async call(calls, signal) {
      if (calls.some(({ tool }) => tool === 'hang'))
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return calls.map(({ id, tool, params }) =>
        tool === 'fail'
          ? { id, isOk: false, json: '{"code":"failed","message":"No."}' }
          : { id, isOk: true, json: tool === 'large' ? JSON.stringify('x'.repeat(MB)) : params },
      );
    },
    printed: () => undefined,
    signal: new AbortController().signal,
  });
  const said =
    ending.kind === 'returned' ? ending.text : ending.kind === 'threw' ? ending.message : ending.why;
  return `${ending.kind}: ${said}`;
}

/** A limit is short only where it is what ends the attempt: on a busy machine it would end others, too. */
function shorterLimits(name: string, expected: RegExp): Partial<ScriptLimits> {
  if (name === 'a call that never ends') return { totalMs: 1_000 };
  return expected.source.includes('computed longer') ? { computeMs: 250 } : {};
}

describe.concurrent('a script', { timeout: 60_000 }, () => {
  const ended: string[] = [];
  it.each(attempts)('gets nowhere with %s', async (name, code, expected) => {
    const ending = await attempt(code, shorterLimits(name, expected));
    ended.push(`${name}: ${ending.split('\n')[0]?.slice(0, 100)}`);
    expect(ending).toMatch(expected);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    if (ended.length === attempts.length) console.log(`${ended.length} attempts\n${ended.join('\n')}`);
  });
});
