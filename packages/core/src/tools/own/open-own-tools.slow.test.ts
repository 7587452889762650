import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../../create-toolbox.js';
import { threadFromSource } from './fixtures/thread-from-source.js';
import type { OwnToolsOptions } from './own-sources.js';

let temp: TempWorkspace;
let toolbox: Toolbox | undefined;
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'alpha\n' } });
});
afterEach(async () => {
  await toolbox?.close();
  toolbox = undefined;
  await temp.cleanup();
});

const folder = () => join(temp.outside, 'tools');
const toolFile = (name: string, text: string): void => {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), name), text);
  chmodSync(join(folder(), name), 0o755);
};
const greet = (word: string): string => `export default {
  apiVersion: 1, name: 'greet', description: 'Greets.', parameters: { type: 'object', properties: {} },
  effects: () => [], run: () => '${word}',
};`;

async function open(more: Partial<OwnToolsOptions> = {}): Promise<Toolbox> {
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'yolo',
    ownTools: { folders: [{ path: folder() }], thread: threadFromSource, ...more },
  });
  return toolbox;
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const [settled] = (await toolbox?.scheduler.run([{ id: '', name, arguments: args }], signal)) ?? [];
  return settled?.error ? `${settled.error.code}: ${settled.error.message}` : String(settled?.llmContent);
}

describe('own tools in a toolbox', () => {
  it('are registered with their files, and looked for again when asked', async () => {
    const { registry, ownTools, notices } = await open();
    expect(notices).toEqual([]);
    expect(registry.getTool('greet')).toBeUndefined();
    toolFile('greet.js', greet('hello'));
    expect(await ownTools?.refresh(signal)).toEqual([]);
    expect(registry.find('greet')?.origin).toEqual({ kind: 'file', path: join(folder(), 'greet.js') });
    expect(await call('greet')).toBe('hello');
    toolFile('greet.js', greet('good morning'));
    await ownTools?.refresh(signal);
    expect(await call('greet')).toBe('good morning');
    toolFile('greet.js', greet("don't"));
    expect(await ownTools?.refresh(signal)).toEqual([expect.stringContaining('greet.js:3:')]);
    expect(registry.getTool('greet')).toBeUndefined();
  });

  it('that are broken or take a name that is taken are told of at the start, and cost only themselves', async () => {
    toolFile('broken.js', 'export default {{');
    toolFile('edit.js', greet('x').replace("'greet'", "'edit'"));
    toolFile('greet.js', greet('hello'));
    const { notices } = await open();
    expect(notices).toHaveLength(2);
    expect(notices[0]).toContain('broken.js:1:');
    expect(notices[1]).toContain('The tool name edit is taken: a built-in tool has it, so the tool file');
    expect(await call('greet')).toBe('hello');
  });
});

describe('a program behind a tool', () => {
  const manifest = (more: object) =>
    JSON.stringify({ v: 1, name: 'try', description: 'Tries things.', command: ['./try.sh'], ...more });
  const attempts = `#!/bin/sh
(echo changed > a.txt) 2>/dev/null && echo "wrote the workspace" || echo "could not write the workspace"
(echo changed > "OUTSIDE/outside.txt") 2>/dev/null
echo "token: \${SECRET_TOKEN:-none}"
`;

  const isConfined = async (): Promise<boolean> =>
    (await (await open()).commands.sandbox.state(signal)).confined;

  it('is confined: it sees no secret, writes nothing outside, and the workspace only when it declares that', async ({
    skip,
  }) => {
    if (!(await isConfined())) skip('nothing confines programs on this machine');
    await toolbox?.close();
    toolFile('try.sh', attempts.replace('OUTSIDE', temp.outside));
    toolFile('try.json', manifest({ effects: [] }));
    process.env['SECRET_TOKEN'] = 'abc';
    try {
      await open();
      expect((await call('try')).split('\n')).toEqual(['could not write the workspace', 'token: none']);
      toolFile('try.json', manifest({ effects: [{ kind: 'write', path: 'a.txt' }] }));
      await toolbox?.ownTools?.refresh(signal);
      expect((await call('try')).split('\n')).toEqual(['wrote the workspace', 'token: none']);
      expect(temp.read('a.txt')).toBe('changed\n');
      // A tool has a /tmp of its own, and this test lies in the real one.
      expect(existsSync(join(temp.outside, 'outside.txt'))).toBe(false);
    } finally {
      delete process.env['SECRET_TOKEN'];
    }
  });
});
