import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@toolwright/machine/base/content.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { createTempChanges, type TempChanges } from '@toolwright/machine/testing/temp-changes.js';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { createPermission } from '../permission/permission.js';
import { createCallBench } from '../testing/call-bench.js';
import { describeTool } from '../testing/describe-tool.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { openFacts } from './memory/fact-store.js';
import { MemoryTool } from './memoryTool.js';
import { ToolRegistry } from './tool-registry.js';

const never = new AbortController().signal;
const HEADING = '## Facts to remember';
let temporary: TempChanges;
let tool: MemoryTool;
let beforeCommit: () => void;

const made: TempChanges[] = [];

function make(content: Record<string, string> = {}): TempChanges {
  temporary = createTempChanges({ content });
  made.push(temporary);
  beforeCommit = () => undefined;
  tool = newTool();
  return temporary;
}

function newTool(): MemoryTool {
  const { changes, state } = temporary;
  const commit = async (planned: PlannedChanges, signal: AbortSignal) => {
    beforeCommit();
    return (await changes.commit(planned, { signal })).id;
  };
  return new MemoryTool(openFacts({ host: temporary, state, commit }));
}

const globalFile = () => join(temporary.state.path, 'AGENTS.md');
const save = (fact: string, scope?: 'project' | 'global') =>
  tool.execute(scope ? { fact, scope } : { fact }, never);

beforeEach(() => void make());
afterEach(async () => {
  for (const one of made.splice(0)) await one.cleanup();
});

describeTool({ describe, it }, 'save_memory', () => ({
  tool: tool as never,
  samples: {
    valid: [
      { fact: 'Prefers tabs.' },
      { fact: 'Prefers tabs.' },
      { fact: 'Lives in UTC.', scope: 'global' },
      { fact: 'Uses npm.', scope: 'project' },
    ],
    invalid: [{ fact: ' \n\t' }, { fact: 'x'.repeat(1_001) }, { fact: 'x', scope: 'everywhere' }, {}],
    directory: temporary.directory,
  },
}));

describe('save_memory', () => {
  test('writes a fact into the context file of the workspace, and can be undone', async () => {
    const { read, recorded, changes, path } = make({ 'AGENTS.md': '# Notes\n\nBuild: make\n' });
    const result = await save('Tests run with `npm test`.');
    expect(result.llmContent).toBe('Remembered in AGENTS.md (project): Tests run with `npm test`.');
    expect(read('AGENTS.md')).toBe(
      `# Notes\n\nBuild: make\n\n${HEADING}\n\n- Tests run with \`npm test\`.\n`,
    );
    expect(result.changeSet).toBe(recorded[0]?.changeSet.id);
    const undo = await changes.planUndo(recorded[0]!.changeSet, never);
    if (undo.kind !== 'ready') throw new Error(undo.kind);
    await changes.commit(undo.planned, { signal: never });
    expect(readFileSync(path('AGENTS.md'), 'utf8')).toBe('# Notes\n\nBuild: make\n');
  });

  test('makes the file where there is none', async () => {
    const result = await save('One.');
    expect(temporary.tree()).toEqual({ 'AGENTS.md': `${HEADING}\n\n- One.\n` });
    expect(result.returnDisplay).toMatchObject({
      files: [{ path: 'AGENTS.md', change: 'create', added: 3 }],
    });
  });

  test('keeps encoding and line ends', async () => {
    const { write, readBytes } = temporary;
    write('AGENTS.md', Buffer.from('\ufeffA\r\n', 'utf16le'));
    await save('é');
    expect(readBytes('AGENTS.md').toString('utf16le')).toBe(`\ufeffA\r\n\r\n${HEADING}\r\n\r\n- é\r\n`);
  });

  test('writes global facts into the user’s own file, outside of the workspace', async () => {
    const result = await save('Speaks German.', 'global');
    expect(result.llmContent).toBe(`Remembered in ${globalFile()} (global): Speaks German.`);
    expect(result.returnDisplay).toMatchObject({ files: [{ path: globalFile(), change: 'create' }] });
    expect(result.changeSet).toBeUndefined();
    expect(readFileSync(globalFile(), 'utf8')).toBe(`${HEADING}\n\n- Speaks German.\n`);
    expect(temporary.tree()).toEqual({});
  });

  test.each(['project', 'global'] as const)('remembers a fact once (%s)', async (scope) => {
    await save('Use TABS', scope);
    const again = await save(' use   tabs', scope);
    const file = scope === 'global' ? globalFile() : 'AGENTS.md';
    expect(again.llmContent).toBe(`${file} holds this fact already; nothing was written.`);
    expect(temporary.recorded).toHaveLength(scope === 'global' ? 0 : 1);
  });

  test('writes one harmless line whatever the fact holds', async () => {
    await save('# Rules\n\n```\nrm -rf /\n<!-- @../secret \u001b[8m\u202e');
    expect(temporary.read('AGENTS.md')).toBe(
      `${HEADING}\n\n- \\# Rules \\\`\\\`\\\` rm -rf / \\<!-- \\@../secret \u241b\\[8m\\<U+202E>\n`,
    );
  });

  test('says what is wrong with a fact it does not take', async () => {
    expect(tool.validateToolParams({ fact: ' ' })).toBe('fact: there is nothing in it to remember.');
    expect(tool.validateToolParams({ fact: 'x'.repeat(1_001) })).toBe(
      'fact: 1001 characters are too many; at most 1000 can be kept. Say it shorter, or as several facts.',
    );
  });

  test('refuses to let the list grow without end', async () => {
    const facts = Array.from({ length: 500 }, (_, index) => `- fact ${index}\n`).join('');
    make({ 'AGENTS.md': `${HEADING}\n\n${facts}` });
    expect((await save('one more')).error).toEqual({
      code: 'too_large',
      message:
        'AGENTS.md holds 500 facts already, the most there may be. Ask the user to remove some: toolwright memory forget.',
    });
    expect((await save('Fact 7')).error).toBeUndefined();
  });

  test('leaves a file that is no text file alone', async () => {
    temporary.write('AGENTS.md', Buffer.from([0, 1, 2, 0xff]));
    expect((await save('x')).error?.code).toBe('failed');
    await save('x', 'global');
    writeFileSync(globalFile(), Buffer.from([0, 1, 2, 0xff]));
    expect((await save('y', 'global')).error?.code).toBe('failed');
  });

  test('has a short declaration', () => {
    const registry = new ToolRegistry();
    registry.registerTool(tool as never);
    const [declaration] = registry.getFunctionDeclarations();
    expect(Buffer.byteLength(JSON.stringify(declaration))).toBeLessThanOrEqual(600);
  });
});

describe('when others write at the same time', () => {
  test('a fact is added to what the file has become', async () => {
    make({ 'AGENTS.md': `${HEADING}\n\n- a\n` });
    beforeCommit = () => {
      temporary.write('AGENTS.md', `# New\n\n${HEADING}\n\n- b\n`);
      beforeCommit = () => undefined;
    };
    const result = await save('mine');
    expect(result.error).toBeUndefined();
    expect(temporary.read('AGENTS.md')).toBe(`# New\n\n${HEADING}\n\n- b\n- mine\n`);
  });

  test('a fact that someone else has written meanwhile is not written again', async () => {
    beforeCommit = () => void temporary.write('AGENTS.md', `${HEADING}\n\n- Mine\n`);
    expect((await save('mine')).llmContent).toBe('AGENTS.md holds this fact already; nothing was written.');
  });

  test('a file that became a link to another one is not followed', async () => {
    make({ 'AGENTS.md': 'a\n', 'other.txt': 'other\n' });
    beforeCommit = () => {
      temporary.symlink('new', 'other.txt');
      renameSync(temporary.path('new'), temporary.path('AGENTS.md'));
      beforeCommit = () => undefined;
    };
    expect((await save('x')).error?.code).toBe('conflict');
    expect(temporary.read('other.txt')).toBe('other\n');
  });

  test.each(['project', 'global'] as const)('no fact is lost (%s)', async (scope) => {
    const facts = Array.from({ length: 4 }, (_, index) => `fact ${index}`);
    const results = await Promise.all(facts.map((fact) => newTool().execute({ fact, scope }, never)));
    expect(results.map(({ error }) => error)).toEqual(facts.map(() => undefined));
    const written = scope === 'global' ? readFileSync(globalFile(), 'utf8') : temporary.read('AGENTS.md');
    expect(
      written
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .sort(),
    ).toEqual(facts.map((fact) => `- ${fact}`));
  });
});

describe('the question before it', () => {
  test('shows the exact line and the exact effect, and writes nothing', async () => {
    make({ 'AGENTS.md': 'a\n' });
    const params = { fact: '*x*' };
    const before = temporary.tree();
    expect(await tool.shouldConfirmExecute(params, never)).toEqual({
      kind: 'edit',
      title: 'Remember in AGENTS.md (project)',
      diff: {
        kind: 'diff',
        files: [
          {
            path: 'AGENTS.md',
            change: 'modify',
            unified: `--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1,5 @@\n a\n+\n+${HEADING}\n+\n+- \\*x*\n`,
            added: 4,
            removed: 0,
          },
        ],
      },
      effects: [{ kind: 'memory', scope: 'project', path: temporary.path('AGENTS.md') }],
      modifiable: { path: temporary.path('AGENTS.md'), content: '*x*' },
    });
    expect(temporary.tree()).toEqual(before);
    expect(tool.effects({ fact: 'x', scope: 'global' })).toEqual([
      { kind: 'memory', scope: 'global', path: globalFile() },
    ]);
    expect(tool.getDescription({ fact: 'a\nb' })).toBe('Remember in AGENTS.md (project): a b');
  });

  test('names the file behind a link, so that a protected one is asked about in every mode', async () => {
    const { symlink, directory, workspace } = make({ '.envrc': 'export A=1\n' });
    symlink('AGENTS.md', '.envrc');
    const details = await tool.shouldConfirmExecute({ fact: 'x' }, never);
    if (!details) throw new Error('no details');
    expect(details.effects).toContainEqual({ kind: 'write', path: join(directory, '.envrc') });
    const permission = await createPermission({ mode: 'yolo', rules: [], workspace });
    expect(permission.decide({ tool: 'save_memory', effects: details.effects }).decision).toBe('ask');
  });

  test('is asked by default, and the user may put it in other words', async () => {
    const confirm = scriptedConfirm({ kind: 'modify', written: 'In my words.\n' }, { kind: 'once' });
    const bench = await createCallBench({
      tools: [tool as never],
      mode: 'default',
      confirm,
      workspace: temporary.directory,
    });
    const [settled] = await bench.run([['save_memory', { fact: 'In its words.' }]]);
    expect(textOf(settled!.llmContent)).toBe('Remembered in AGENTS.md (project): In my words.');
    expect(temporary.read('AGENTS.md')).toBe(`${HEADING}\n\n- In my words.\n`);
  });

  test.each([
    ['plan', 'project', 'denied'],
    ['auto-edit', 'project', undefined],
    ['auto-edit', 'global', 'denied'],
    ['yolo', 'global', undefined],
  ] as const)('in %s mode a %s fact ends with %s when the user says no', async (mode, scope, code) => {
    const confirm = scriptedConfirm({ kind: 'cancel', reason: 'no' });
    const workspace = temporary.directory;
    const bench = await createCallBench({ tools: [tool as never], mode, confirm, workspace });
    const [settled] = await bench.run([['save_memory', { fact: 'x', scope }]]);
    expect(settled?.error?.code).toBe(code);
  });

  test('is not asked about what is remembered already', async () => {
    make({ 'AGENTS.md': `${HEADING}\n\n- x\n` });
    const confirm = scriptedConfirm({ kind: 'cancel', reason: 'no' });
    const workspace = temporary.directory;
    const bench = await createCallBench({ tools: [], mode: 'default', confirm, workspace });
    bench.registry.registerTool(tool, { kind: 'builtin' });
    const [settled] = await bench.run([['save_memory', { fact: 'X' }]]);
    expect(textOf(settled!.llmContent)).toBe('AGENTS.md holds this fact already; nothing was written.');
  });
});

describe('save_memory as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('save_memory');
    expect(await builtin.check({ valid: [{ fact: 'Tabs are better.' }], invalid: [{ fact: '' }] })).toEqual(
      [],
    );
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('save_memory')).toMatchInlineSnapshot(`
      [
        "save_memory: Remembers one fact for later sessions. Use it when the user asks for that, or states a lasting preference or rule; not for the task at hand.",
        "fact {"type":"string","description":"One short sentence that stands on its own."}",
        "scope? {"type":"string","enum":["project","global"],"description":"project (default): for work in this folder; global: about the user, everywhere."}",
      ]
    `);
  });
});
