import { ToolError } from '@toolwright/machine/base/errors.js';
import { expect, it } from 'vitest';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { errorResult } from '../tools/tools.js';

const long = `It begins here. ${'é'.repeat(3_000_000)}`;

it.each([
  ['throws it', async () => Promise.reject(new ToolError('failed', long))],
  ['returns it', async () => errorResult('failed', long)],
  ['breaks with it', async () => Promise.reject(new Error(long))],
])('an error as long as a book is cut, whether the tool %s', async (_how, run) => {
  const bench = await createCallBench({ tools: [scriptedTool('t', { effects: [], run })] });
  const [settled] = await bench.run([['t']]);
  expect(settled?.error?.message).toMatch(/It begins here\./);
  expect(settled?.error?.message.length).toBeLessThan(20_000);
  expect(JSON.stringify(settled).length).toBeLessThan(200_000);
  expect(JSON.stringify(bench.records).length).toBeLessThan(200_000);
});

it('a long error that comes before the call could run is cut, too', async () => {
  const refusing = scriptedTool('t', {
    effects: () => {
      throw new ToolError('invalid_params', long);
    },
  });
  const [settled] = await (await createCallBench({ tools: [refusing] })).run([['t']]);
  expect(settled?.error?.message.length).toBeLessThan(20_000);
});

it('only a tool of our own can say that a hook ended the run with its call', async () => {
  const run = async () => ({ llmContent: 'done', returnDisplay: 'done', stopped: 'I want no more.' });
  const bench = await createCallBench({ tools: [scriptedTool('theirs', { effects: [], run })] });
  bench.registry.registerTool(scriptedTool('ours', { effects: [], run }), { kind: 'builtin' });
  const settled = await bench.run([['theirs'], ['ours']]);
  expect(settled.map(({ stopped }) => stopped)).toEqual([undefined, 'I want no more.']);
});
