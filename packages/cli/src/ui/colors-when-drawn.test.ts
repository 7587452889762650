import { beforeEach, expect, it, vi } from 'vitest';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { safe } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';

// Another test file may have loaded the languages into this process already.
beforeEach(() => void vi.resetModules());

async function open(color = true) {
  const { createLiveDrawing } = await import('./live-drawing.js');
  const { loadHighlighting } = await import('./render/highlight.js');
  let output = '';
  const write = (text: string): void => void (output += text);
  const appearance = { color, unicode: true, linear: false, manyColors: true };
  const drawing = createLiveDrawing({ screen: () => ({ columns: 60, rows: 20 }), appearance, write });
  let state: State = { ...initialState, phase: 'idle' };
  return {
    drawing,
    loaded: loadHighlighting,
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
  const { send, output, loaded, drawing } = await open();
  send(plain('before'));
  send({ type: 'block-added', block: { kind: 'diff', diff } });
  send(plain('behind'));
  expect(output()).toContain('before');
  expect(output()).not.toMatch(/const|behind/);
  await loaded();
  await vi.waitFor(() => expect(output()).toMatch(coloredConst));
  expect(output().indexOf('behind')).toBeGreaterThan(output().search(coloredConst));
  drawing.close();
});

it('a question is drawn at once, and again with the colours of its change', async () => {
  const { send, output, loaded, drawing } = await open();
  const question = { title: safe('Create a.ts +1 -0'), facts: [], diff, choices: [], refusal: 'n' };
  send({ type: 'question-asked', question });
  expect(output()).toContain('const a = 1;');
  await loaded();
  await vi.waitFor(() => expect(output()).toMatch(coloredConst));
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
  const { send, output, drawing } = await open(false);
  send({ type: 'block-added', block: { kind: 'diff', diff } });
  expect(output()).toContain('const a = 1;');
  drawing.close();
});
