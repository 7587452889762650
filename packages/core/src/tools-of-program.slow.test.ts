import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createToolbox } from './create-toolbox.js';
import { type DefinedTool, defineTool } from './tools/own/define-tool.js';
import type { AnyTool } from './tools/own/tool-shape.js';
import { BaseTool } from './tools/tools.js';

let temp: TempWorkspace;
beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'one\n' } });
});
afterEach(() => temp.cleanup());

const { signal } = new AbortController();
const open = (tools: readonly AnyTool[], approvalMode: 'default' | 'plan' = 'default') =>
  createToolbox({ workspace: temp.directory, stateFolder: join(temp.outside, 'state'), tools, approvalMode });

async function call(tool: AnyTool, args: Record<string, unknown> = {}, name = 'mine') {
  const toolbox = await open([tool]);
  try {
    const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], signal);
    return settled!;
  } finally {
    await toolbox.close();
  }
}

const mine = { apiVersion: 1, name: 'mine', description: 'Mine.', effects: () => [] } as const;

it('a program hands over what defineTool makes, and gets data for MCP clients beside the text', async () => {
  const tool = defineTool({
    ...mine,
    parameters: z.object({ text: z.string(), times: z.number().default(2) }),
    run: ({ text, times }) => ({ said: text.repeat(times) }),
  });
  const { llmContent, structuredContent, error } = await call(tool, { text: 'ho' });
  expect(error).toBeUndefined();
  expect(llmContent).toBe('{\n  "said": "hoho"\n}');
  expect(structuredContent).toEqual({ said: 'hoho' });
});

it('a schema of a library refuses what JSON Schema can not express, before the tool runs', async () => {
  const even = z.object({ count: z.number().refine((count) => count % 2 === 0, 'must be even') });
  const { error } = await call(defineTool({ ...mine, parameters: even, run: () => 'ran' }), { count: 3 });
  expect(error).toMatchObject({
    code: 'invalid_params',
    message: expect.stringContaining('count: must be even'),
  });
});

it('a program hands over a class that extends BaseTool, which gets the host', async () => {
  class Where extends BaseTool {
    constructor(private readonly host: { workspace: { directory: string } }) {
      super({ name: 'mine', displayName: 'Mine', description: 'Mine.', parameterSchema: { type: 'object' } });
    }
    getDescription() {
      return 'Tell the folder';
    }
    effects() {
      return [];
    }
    async run() {
      return { llmContent: this.host.workspace.directory, returnDisplay: '' };
    }
  }
  expect((await call(Where)).llmContent).toBe(temp.directory);
});

const parameters = { type: 'object', properties: {} } as const;

it.each([
  ['undefined', () => undefined as never, 'The tool mine gave undefined.'],
  ['a number', () => 5 as never, 'The tool mine gave a number.'],
])('a result that is %s is an error that names the tool', async (_name, run, message) => {
  const { error } = await call(defineTool({ ...mine, parameters, run }));
  expect(error?.message).toContain(message);
});

it('a display as data reaches events and the journal as it is', async () => {
  const table = { kind: 'table', columns: ['n'], rows: [[1]] } as const;
  const run = () => ({ llmContent: 'x', returnDisplay: table });
  expect((await call(defineTool({ ...mine, parameters, run }))).display).toEqual(table);
});

class Wrong extends BaseTool {
  constructor() {
    super({ name: 'mine', displayName: 'Mine', description: 'Mine.', parameterSchema: parameters });
  }
  getDescription() {
    return 'Show';
  }
  effects() {
    return [];
  }
  async run() {
    return { llmContent: 'x', returnDisplay: { kind: 'chart' } as never };
  }
}

it.each([
  [
    'defined',
    () =>
      defineTool({
        ...mine,
        parameters,
        run: () => ({ llmContent: 'x', returnDisplay: { kind: 'chart' } as never }),
      }),
    /^The tool mine gave a returnDisplay that can't be shown: it has the kind "chart"\. A display is text, /,
  ],
  [
    'a class',
    () => Wrong,
    /^Internal error in mine: mine is broken: its returnDisplay can't be shown: it has the kind "chart"\. A display is text, .*more\?}\. This is a fault of the tool/,
  ],
])(
  'a display of a wrong shape is an error that names the tool and what is allowed, when it is %s',
  async (_how, tool, message) => {
    const settled = await call(tool());
    expect(settled.error?.message).toMatch(message);
    expect(settled.llmContent).toBe(settled.error?.message);
  },
);

it('an effect of a kind that does not exist is an error, and the tool does not run', async () => {
  let ran = false;
  const tool = defineTool({
    ...mine,
    parameters,
    effects: () => [{ kind: 'wirte', path: 'a.txt' } as never],
    run() {
      ran = true;
      return 'ran';
    },
  });
  const { error } = await call(tool);
  expect(error?.message).toBe(
    'mine was not run, because the tool itself is broken: its effect 1 has no known kind: "wirte" (did you mean write?).',
  );
  expect(ran).toBe(false);
});

it('a relative path of an effect starts at the workspace', async () => {
  const tool = defineTool({
    ...mine,
    parameters,
    effects: () => [{ kind: 'read', path: 'a.txt' }],
    run: () => 'x',
  });
  const { effects } = await call(tool);
  expect(effects).toEqual([{ kind: 'read', path: join(temp.directory, 'a.txt') }]);
});

it('a tool that does not stop is stopped at its own time limit', async () => {
  const tool = defineTool({
    ...mine,
    parameters,
    timeout: 20,
    run: (_params, { signal: aborted }) =>
      new Promise<string>((_resolve, reject) =>
        aborted.addEventListener('abort', () => reject(aborted.reason as Error)),
      ),
  });
  expect((await call(tool)).error?.code).toBe('timeout');
});

it.each([
  [{} as never, /tools\[0\] is not a tool\. Give what defineTool makes/],
  ['edit' as never, /tools\[0\] is not a tool/],
  [{ apiVersion: 2, name: 'x' } as never, /tools\[0\]: apiVersion must be 1, got 2/],
  [{ execute: async () => null } as never, /tools\[0\] is not a tool: name, displayName, .* missing/],
] satisfies [DefinedTool, RegExp][])(
  'a value that is no tool is refused at once: %j',
  async (value, message) => {
    await expect(open([value])).rejects.toThrow(message);
  },
);

const peek = defineTool({
  ...mine,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  effects: ({ path }) => [{ kind: 'read', path }],
  run: ({ path }, { host, signal: aborted }) => host.files.readText(host.workspace.resolve(path), aborted),
});

it('a rule that asks about a file asks about every tool that reads it by a link', async () => {
  writeFileSync(join(temp.directory, '.env'), 'KEY=1\n');
  symlinkSync('.env', join(temp.directory, 'innocent.txt'));
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    tools: [peek],
    rules: [{ verdict: 'ask', text: 'Read(.env)', source: 'the test' }],
  });
  try {
    const run = (path: string) =>
      toolbox.scheduler.run([{ id: '1', name: 'mine', arguments: { path } }], signal);
    for (const path of ['.env', 'innocent.txt']) {
      const [settled] = await run(path);
      expect(settled?.denied?.by, path).toBe('nobody-to-ask');
    }
    const [plain] = await run('a.txt');
    expect(plain?.llmContent).toBe('one\n');
  } finally {
    await toolbox.close();
  }
});

it('a link that an earlier call of the same batch made is followed, too', async () => {
  writeFileSync(join(temp.directory, '.env'), 'KEY=1\n');
  const link = defineTool({
    ...mine,
    name: 'link',
    parameters: { type: 'object', properties: {} },
    effects: () => [{ kind: 'write', path: 'late.txt' }],
    run() {
      symlinkSync('.env', join(temp.directory, 'late.txt'));
      return 'linked';
    },
  });
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    tools: [peek, link],
    approvalMode: 'auto-edit',
    rules: [{ verdict: 'ask', text: 'Read(.env)', source: 'the test' }],
  });
  try {
    const [made, read] = await toolbox.scheduler.run(
      [
        { id: '1', name: 'link', arguments: {} },
        { id: '2', name: 'mine', arguments: { path: 'late.txt' } },
      ],
      signal,
    );
    expect(made?.llmContent).toBe('linked');
    expect(read?.denied?.by).toBe('nobody-to-ask');
  } finally {
    await toolbox.close();
  }
});

it('a tool that was given toolbox.host by hand leaves ignored files alone, like one of the tools option', async () => {
  writeFileSync(temp.path('.toolwrightignore'), 'a.txt\n');
  const toolbox = await open([]);
  const denied = { code: 'denied', message: expect.stringMatching(/^a\.txt is named by an ignore rule/) };
  await expect(toolbox.host.files.readText(temp.path('a.txt'))).rejects.toMatchObject(denied);
  const written = toolbox.host.files.write(temp.path('a.txt'), Buffer.from('two'), {
    expect: { kind: 'absent' },
  });
  await expect(written).rejects.toMatchObject(denied);
  await toolbox.close();
});
