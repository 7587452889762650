import { getEventListeners } from 'node:events';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { describe, expect, it } from 'vitest';
import { command } from '../permission/fixtures/shell-effects.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { ToolResult } from '../tools/tools.js';

const read = (path: string): Effect => ({ kind: 'read', path });
const write = (path: string): Effect => ({ kind: 'write', path });
const text = (content: string): ToolResult => ({ llmContent: content, returnDisplay: content });

describe('every call gets exactly one response, in call order', () => {
  it('answers every call whatever its tool does', async () => {
    const tools = [
      scriptedTool('good', { effects: [] }),
      scriptedTool('throws', {
        run: async () => {
          throw new TypeError('oops');
        },
      }),
      scriptedTool('throws_at_once', {
        run: () => {
          throw new Error('before any promise');
        },
      }),
      scriptedTool('expected', {
        run: async () => {
          throw new ToolError('not_found', 'There is no such thing. Try another.');
        },
      }),
      scriptedTool('nothing', { run: async () => undefined as never }),
      scriptedTool('number', { run: async () => ({ llmContent: 5, returnDisplay: '' }) as never }),
      scriptedTool('cyclic_display', {
        run: async () => ({ llmContent: 'x', returnDisplay: new Map() }) as never,
      }),
      scriptedTool('bad_effects', {
        more: {
          effects: () => {
            throw new Error('no idea');
          },
        },
      }),
      scriptedTool('bad_description', {
        more: {
          getDescription: () => {
            throw new Error('speechless');
          },
        },
      }),
      scriptedTool('bad_confirmation', {
        confirmation: async () => {
          throw new Error('who asks?');
        },
      }),
    ];
    const bench = await createCallBench({ tools });
    const names = [...tools.map(({ name }) => name), 'missing'];
    const settled = await bench.run(names.map((name) => [name]));
    expect(settled.map(({ response }) => response.id)).toEqual(names.map((_, index) => `c${index + 1}`));
    expect(settled.map(({ response }) => response.name)).toEqual(names);
    expect(settled.map(({ error }) => error?.code)).toEqual([
      undefined,
      'failed',
      'failed',
      'not_found',
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'unknown_tool',
    ]);
    expect(settled[1]?.error?.message).toMatch(
      /^Internal error in throws: oops\..*Details are in \/log\/debug\.log\.$/,
    );
    expect(bench.errors.length).toBe(8);
  });

  it('with one start and one end in the journal for each', async () => {
    const bench = await createCallBench({ tools: [scriptedTool('a', { effects: [] })] });
    await bench.run([['a'], ['nope'], ['a']]);
    const starts = bench.records.filter(({ type }) => type === 'call-start').map(({ callId }) => callId);
    const ends = bench.records.filter(({ type }) => type === 'call-end').map(({ callId }) => callId);
    expect(starts.length).toBe(3);
    expect([...ends].sort()).toEqual([...starts].sort());
  });

  it('and repeated or missing ids of the model are answered as they came', async () => {
    const bench = await createCallBench({ tools: [scriptedTool('a', { effects: [] })] });
    const settled = await bench.run([
      { id: 'same', name: 'a', arguments: {} },
      { id: 'same', name: 'a', arguments: {} },
      { id: '', name: 'a', arguments: {} },
    ]);
    expect(settled.map(({ response }) => response.id).slice(0, 2)).toEqual(['same', 'same']);
    expect(settled[2]?.response.id).toBe(settled[2]?.callId);
    expect(new Set(settled.map(({ callId }) => callId)).size).toBe(3);
  });
});

describe('arguments', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tool = scriptedTool('t', {
    schema,
    effects: [],
    run: async (params) => text(JSON.stringify(params)),
  });

  it.each<[string, string | Record<string, unknown>, unknown]>([
    ['an object', { n: 1 }, { output: '{"n":1}' }],
    ['JSON text', '{"n":1}', { output: '{"n":1}' }],
    ['JSON inside a JSON string', '"{\\"n\\":1}"', { output: '{"n":1}' }],
    [
      'broken JSON, repaired',
      "{n: '1',}",
      {
        output: '{"n":1}',
        notes: ['the arguments were not valid JSON and were repaired', 'n: string was read as integer'],
      },
    ],
    [
      'a missing brace',
      '{"n": 1',
      { output: '{"n":1}', notes: ['the arguments were not valid JSON and were repaired'] },
    ],
    [
      'quotes that were not escaped',
      '{"n": 1, "t": "say "hi" to \'them\'"}',
      {
        output: '{"n":1,"t":"say \\"hi\\" to \'them\'"}',
        notes: ['the arguments were not valid JSON and were repaired'],
      },
    ],
  ])('are taken as %s', async (_name, args, response) => {
    const bench = await createCallBench({ tools: [tool] });
    const [settled] = await bench.run([{ id: 'c', name: 't', arguments: args }]);
    expect(settled?.response.response).toEqual(response);
  });

  it.each<[string, string, RegExp]>([
    ['no object', '[1]', /must be one JSON object, got an array/],
    ['prose', 'I would like to call it', /are not valid JSON and could not be repaired/],
    ['nothing where something is required', '', /n: required, but missing/],
    ['cut off inside a text', '{"n": 1, "t": "half of wh', /stop in the middle of a text.*not run/],
    ['cut off inside a name', '{"n": 1, "t', /stop in the middle of a text/],
    ['cut off behind a backslash', '{"n": 1, "t": "half\\', /stop in the middle of a text/],
    ['cut off in single quotes', "{'n': 1, 't': 'don\\'t wr", /stop in the middle of a text/],
  ])('that are %s are refused with a reason', async (_name, args, message) => {
    const bench = await createCallBench({ tools: [tool] });
    const [settled] = await bench.run([{ id: 'c', name: 't', arguments: args }]);
    expect(settled?.error).toMatchObject({ code: 'invalid_params', message: expect.stringMatching(message) });
  });

  it('cut off by a length limit are refused, and nothing runs', async () => {
    let runs = 0;
    const counted = scriptedTool('t', { effects: [], run: async () => text(String(++runs)) });
    const bench = await createCallBench({ tools: [counted] });
    const [settled] = await bench.run([{ id: 'c', name: 't', arguments: '{"content":"half', cutOff: true }]);
    expect(settled?.error?.message).toMatch(/cut off by the output length limit and was not run/);
    expect(runs).toBe(0);
  });

  it('reach the tool frozen, the same object for the question and the execution', async () => {
    const seen: object[] = [];
    const watching = scriptedTool('w', {
      effects: [],
      run: async (params) => {
        seen.push(params);
        return text(String(Object.isFrozen(params) && Object.isFrozen(params['list'])));
      },
      more: {
        shouldConfirmExecute: async (params) => {
          seen.push(params);
          return false;
        },
      },
    });
    const bench = await createCallBench({ tools: [watching] });
    const [settled] = await bench.run([['w', { list: [1] }]]);
    expect(settled?.response.response).toEqual({ output: 'true' });
    expect(seen[0]).toBe(seen[1]);
  });
});

describe('calls run side by side exactly where their effects allow it', () => {
  async function mostAtOnce(effects: (Effect[] | undefined)[]): Promise<number> {
    let running = 0;
    let most = 0;
    const tools = effects.map((declared, index) =>
      scriptedTool(`t${index}`, {
        ...(declared ? { effects: declared } : {}),
        run: async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          return text('');
        },
      }),
    );
    const bench = await createCallBench({ tools });
    await bench.run(tools.map(({ name }) => [name]));
    return most;
  }
  const shell = (readOnly: boolean): Effect => command(null, { readOnly });

  it.each<[string, (Effect[] | undefined)[], number]>([
    ['reads', [[read('/a')], [read('/a')], [read('/b')]], 3],
    ['writes of different files', [[write('/a')], [write('/b')]], 2],
    ['writes of one file', [[write('/a')], [write('/a')]], 1],
    ['a read and a write of one file', [[read('/a')], [write('/a')]], 1],
    ['a folder and a file in it', [[read('/a')], [write('/a/b')]], 1],
    ['names that only begin alike', [[write('/a')], [write('/ab')]], 2],
    ['unknown effects', [undefined, undefined], 1],
    ['an unknown effect and a read', [undefined, [read('/a')]], 1],
    ['read-only commands', [[shell(true)], [shell(true)], [read('/a')]], 3],
    ['a read-only command and a write', [[shell(true)], [write('/a')]], 1],
    ['a command that may change anything', [[shell(false)], [read('/a')]], 1],
    [
      'fetches',
      [
        [{ kind: 'network', host: 'h', port: 443, url: '' }],
        [{ kind: 'network', host: 'h', port: 443, url: '' }],
      ],
      2,
    ],
    ['MCP calls', [[{ kind: 'mcp', server: 's', tool: 't' }], [{ kind: 'mcp', server: 's', tool: 't' }]], 1],
  ])('%s', async (_name, effects, expected) => {
    expect(await mostAtOnce(effects)).toBe(expected);
  });

  it('and a later call never overtakes an earlier one it conflicts with', async () => {
    const order: string[] = [];
    const log = (name: string, wait: number, effects: Effect[]) =>
      scriptedTool(name, {
        effects,
        run: async () => {
          await new Promise((resolve) => setTimeout(resolve, wait));
          order.push(name);
          return text(name);
        },
      });
    const bench = await createCallBench({
      tools: [
        log('slow_write', 20, [write('/a')]),
        log('read_after', 0, [read('/a')]),
        log('other', 0, [read('/b')]),
      ],
    });
    const settled = await bench.run([['slow_write'], ['read_after'], ['other']]);
    expect(order).toEqual(['other', 'slow_write', 'read_after']);
    expect(settled.map(({ tool }) => tool)).toEqual(['slow_write', 'read_after', 'other']);
  });
});

describe('results', () => {
  it('that are long are cut once, and kept whole in a file', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const bench = await createCallBench({
      tools: [scriptedTool('long', { effects: [], run: async () => text(lines) })],
    });
    const [settled] = await bench.run([['long']]);
    const output = String(settled?.response.response?.['output']);
    expect(output.length).toBeLessThan(50_000);
    expect(output).toContain('line 0\n');
    expect(output).toContain('line 19999');
    expect(output).toMatch(new RegExp(`The rest is in /output/${settled?.callId}\\.txt`));
    expect(bench.saved.get(settled!.callId)).toBe(lines);
  });

  it('carry images into the response beside the text', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const rich = scriptedTool('rich', {
      effects: [],
      run: async () => ({ llmContent: ['see', image, { text: 'this' }], returnDisplay: '' }),
    });
    const bench = await createCallBench({ tools: [rich] });
    const [settled] = await bench.run([['rich']]);
    expect(settled?.response).toMatchObject({ response: { output: 'see\nthis' }, parts: [image] });
  });

  it('with too much media keep what fits and say what was left out', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(15 * 1024 * 1024) } };
    const rich = scriptedTool('rich', {
      effects: [],
      run: async () => ({ llmContent: [image, image], returnDisplay: '' }),
    });
    const bench = await createCallBench({ tools: [rich] });
    const [settled] = await bench.run([['rich']]);
    expect(settled?.response.parts).toHaveLength(1);
    expect(settled?.response.response?.['output']).toBe(
      '[image/png of 15 MB left out: the result holds too much media.]',
    );
  });
});

describe('live output', () => {
  it('is gathered, paced, capped, and never comes after the end', async () => {
    const clock = createFakeClock();
    let late: ((delta: string) => void) | undefined;
    const chatty = scriptedTool('chatty', {
      effects: [],
      run: async (_params, _signal, onUpdate) => {
        for (let index = 0; index < 1000; index++) onUpdate?.('x'.repeat(1000));
        late = onUpdate;
        return text('done');
      },
    });
    const bench = await createCallBench({ tools: [chatty], clock });
    await bench.run([['chatty']]);
    late?.('too late');
    const updates = bench.events.filter((event) => event.type === 'call-update');
    expect(updates.length).toBeGreaterThan(0);
    expect(updates.length).toBeLessThan(10);
    expect(updates.map((event) => ('delta' in event ? event.delta : '')).join('').length).toBeLessThan(
      300_000,
    );
    expect(bench.events.at(-1)?.type).toBe('call-end');
  });
});

it('a call ends as usual when the listener throws', async () => {
  const bench = await createCallBench({
    tools: [scriptedTool('a', { effects: [] })],
    more: {
      emit: () => {
        throw new Error('broken front end');
      },
    },
  });
  const [settled] = await bench.run([['a']]);
  expect(settled?.response.response).toEqual({ output: 'a done' });
});

it('nothing runs that the journal could not note first', async () => {
  let runs = 0;
  const bench = await createCallBench({
    tools: [scriptedTool('a', { effects: [], run: async () => text(String(++runs)) })],
    more: {
      record: async () => {
        throw new Error('disk full');
      },
    },
  });
  await expect(bench.run([['a']])).rejects.toThrow('disk full');
  expect(runs).toBe(0);
});

it('calls leave nothing on the signal of their session, even where one follows the other without a pause', async () => {
  const bench = await createCallBench({ tools: [scriptedTool('a', { effects: [] })] });
  const { signal } = new AbortController();
  for (let call = 0; call < 20; call++) await bench.run([['a']], signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(signalsMadeOf(signal)).toBe(0);
});

/** Counts what `AbortSignal.any` made of a signal: without a pause nothing of that is collected. */
function signalsMadeOf(signal: AbortSignal): number {
  const symbols = Object.getOwnPropertySymbols(signal);
  const made = symbols.find(({ description }) => description === 'kDependantSignals');
  return made === undefined ? 0 : (signal as unknown as Record<symbol, Set<unknown>>)[made]!.size;
}
