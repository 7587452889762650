import { beforeEach, expect, it, vi } from 'vitest';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { safe } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';

// Another test file may have loaded the languages into this process already.
beforeEach(() => void vi.resetModules());

async function open({ color = true, linear = false } = {}) {
  const { createLiveDrawing } = await import('./live-drawing.js');
  const { createLineDrawing } = await import('./line-drawing.js');
  const { grammars } = await import('./render/highlight-languages.js');
  const loads = new Map(Object.entries(grammars).map(([name, each]) => [name, vi.spyOn(each, 'load')]));
  let output = '';
  const write = (text: string): void => void (output += text);
  const appearance = { color, unicode: true, linear, manyColors: true };
  const create = linear ? createLineDrawing : createLiveDrawing;
  const drawing = create({ screen: () => ({ columns: 60, rows: 20 }), appearance, write });
  let state: State = { ...initialState, phase: 'idle' };
  return {
    drawing,
    loads,
    loaded: () => [...loads].filter(([, { mock }]) => mock.calls.length > 0).map(([name]) => name),
    output: () => output,
    send(event: AppEvent) {
      state = reduce(state, event);
      drawing.update(state);
    },
  };
}

const unified = safe('--- a.ts\n+++ a.ts\n@@ -0,0 +1 @@\n+const a = 1;\n');
const diff = [{ path: safe('a.ts'), change: safe('create'), unified, added: 1, removed: 0 }];
const coloredConst = /\x1b\[[0-9;]*35[0-9;]*mconst\x1b\[0m/;
const plain = (text: string): AppEvent => ({
  type: 'block-added',
  block: { kind: 'text', text: safe(text), tone: 'plain' },
});

it('a diff waits for the colours of its language, which it loads, and keeps its place', async () => {
  const { send, output, drawing } = await open();
  send(plain('before'));
  send({ type: 'block-added', block: { kind: 'diff', diff } });
  send(plain('behind'));
  expect(output()).toContain('before');
  expect(output()).not.toMatch(/const|behind/);
  await expect.poll(output).toMatch(coloredConst);
  expect(output().indexOf('behind')).toBeGreaterThan(output().search(coloredConst));
  drawing.close();
});

it('a question is drawn at once, and again with the colours of its change', async () => {
  const { send, output, drawing } = await open();
  const question = { title: safe('Create a.ts +1 -0'), facts: [], diff, choices: [], refusal: 'n' };
  send({ type: 'question-asked', question });
  expect(output()).toContain('const a = 1;');
  await expect.poll(output).toMatch(coloredConst);
  drawing.close();
});

it('an answer in Python loads the grammar of Python alone, when its code comes', async () => {
  const { send, output, loaded, drawing } = await open();
  const said = (text: string): AppEvent => ({ type: 'agent', event: { type: 'text-delta', text } });
  send({ type: 'ready' });
  send({ type: 'prompt-submitted', text: 'show me Python' });
  send(said('As in `a.ts`:\n\n'));
  expect(loaded()).toEqual([]);
  send(said('```python\ndef f():\n'));
  await expect.poll(output).toMatch(/\x1b\[[0-9;]*35[0-9;]*mdef\x1b\[0m/);
  expect(loaded()).toEqual(['python']);
  // Where a fence has no language there is nothing to wait for.
  send(said('  return 1\n```\n\n```\nplain\n```\n\nAnd '));
  expect(output()).toContain('plain');
  expect(loaded()).toEqual(['python']);
  drawing.close();
});

it('two languages of one answer come one after the other, in their places', async () => {
  const { send, output, loaded, drawing } = await open();
  const text = '```ts\nconst a = 1;\n```\n\n```sql\nselect b;\n```\n\nThe end.\n';
  send({ type: 'block-added', block: { kind: 'answer', text: safe(text) } });
  await expect.poll(output).toContain('The end.');
  expect(output().search(coloredConst)).toBeGreaterThanOrEqual(0);
  expect(output()).toMatch(/\x1b\[[0-9;]*35[0-9;]*mselect\x1b\[0m/);
  expect(output().match(/The end/g)).toHaveLength(1);
  expect(loaded()).toEqual(['sql', 'typescript']);
  drawing.close();
});

it('the preview of a change in a list gets its colours, too', async () => {
  const { send, output, drawing } = await open();
  const item = { id: 'one', label: safe('a change') };
  send({
    type: 'picker-opened',
    spec: { title: safe('Undo'), items: [item], typed: 'filter' },
    isNumbered: false,
  });
  send({ type: 'picker-previewed', preview: { id: 'one', lines: [], diff } });
  expect(output()).toContain('const a = 1;');
  await expect.poll(output).toMatch(coloredConst);
  drawing.close();
});

it('colours that can not be loaded hold nothing up', async () => {
  const { send, output, loads, drawing } = await open();
  loads.get('typescript')?.mockRejectedValue(new Error('the file is gone'));
  send({ type: 'block-added', block: { kind: 'diff', diff } });
  send(plain('behind'));
  expect(output()).not.toContain('behind');
  await expect.poll(output).toMatch(/const a = 1;[\s\S]*behind/);
  drawing.close();
});

it('where nothing is redrawn a question waits for its colours, and is told once', async () => {
  const { send, output, drawing } = await open({ linear: true });
  const question = { title: safe('Create a.ts +1 -0'), facts: [], diff, choices: [], refusal: 'n' };
  send({ type: 'question-asked', question });
  expect(output()).not.toContain('Create');
  await expect.poll(output).toMatch(coloredConst);
  expect(output().match(/Create a\.ts/g)).toHaveLength(1);
  drawing.close();
});

it('code in an answer before the first prompt has colours, and an end waits for none', async () => {
  const { send, output, drawing } = await open();
  send({ type: 'block-added', block: { kind: 'answer', text: safe('```ts\nconst a = 1;\n```\n') } });
  expect(output()).not.toContain('const');
  drawing.close();
  expect(output()).toContain('const a = 1;');
});

it('without colours nothing waits', async () => {
  const { send, output, drawing } = await open({ color: false });
  send({ type: 'block-added', block: { kind: 'diff', diff } });
  expect(output()).toContain('const a = 1;');
  drawing.close();
});
