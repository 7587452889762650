import { createToolbox, type Toolbox } from '@toolwright/core';
import { listWorkspaceFiles } from '@toolwright/core/front-end';
import { createTempWorkspace } from '@toolwright/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inputOf } from '../../app/input-line.js';
import type { Key } from '../../app/key.js';
import { createFront } from '../../ui/front.js';
import { createLineDrawing } from '../../ui/line-drawing.js';
import type { Terminal } from '../../ui/terminal.js';
import { commandNames } from '../slash-commands.js';
import { createLineCompletion } from './complete-line.js';
import { createFileIndex } from './file-index.js';
import { createMenus } from './menus.js';

const machine = createTempWorkspace({
  content: {
    'src/app.ts': '',
    'src/apple.ts': '',
    'notes.md': '',
    'a b': '',
    'built.js': '',
    '.gitignore': 'built.js\n',
  },
});
let toolbox: Toolbox;
beforeAll(async () => {
  toolbox = await createToolbox({ workspace: machine.directory, stateFolder: `${machine.outside}/state` });
});
afterAll(async () => {
  await toolbox.close();
  await machine.cleanup();
});

/** A line with its cursor at the end, in a terminal where nothing is redrawn. */
function lineOf(text: string) {
  let output = '';
  let onKey = (_key: Key): void => undefined;
  const ignore = (): void => undefined;
  const terminal: Terminal = {
    onReport: ignore,
    onResize: ignore,
    onEnd: ignore,
    start: ignore,
    stop: ignore,
    write: (written) => void (output += written),
    screen: () => ({ columns: 80, rows: 24 }),
    onKey: (listener) => void (onKey = listener),
  };
  const appearance = { color: false, unicode: false, linear: true };
  const drawing = createLineDrawing({ ...terminal, appearance });
  const front = createFront({ terminal, drawing, isLinear: true });
  front.dispatch({ type: 'ready' });
  front.dispatch({ type: 'line-replaced', input: inputOf(text) });
  const { signal } = new AbortController();
  const list: Parameters<typeof createFileIndex>[0]['list'] = (options) =>
    listWorkspaceFiles(toolbox.host, options);
  const menus = createMenus({
    front,
    commands: commandNames,
    files: createFileIndex({ list, now: () => performance.now() }, signal),
    recent: () => [],
    servers: () => ['docs'],
    agents: async () => ['general', 'explorer'],
    ofServer: async () => ({ typed: '', words: [] }),
  });
  return {
    front,
    complete: createLineCompletion(front, menus),
    press: (key: Key) => onKey(key),
    output: () => output,
  };
}

it.each([
  ['/unod', '/unod'],
  ['/und', '/undo '],
  ['/cnct', '/connect '],
  ['look at @nts', 'look at @notes.md '],
  ['look at @ple', 'look at @src/apple.ts '],
  ['@a b', '@a b'],
  ['@a\\ ', '@a\\ b '],
  ['plain words', 'plain words'],
  ['me@example', 'me@example'],
  ['@buil', '@buil'],
  ['@doc', '@docs:'],
  ['ask @agent-ex', 'ask @agent-explorer '],
  ['ask @ag', 'ask @agent-'],
])('Tab in the line %j makes it %j', async (text, expected) => {
  const { front, complete } = lineOf(text);
  await complete();
  expect(front.state.input.text).toBe(expected);
  if (text === expected) expect(front.state.hint).toBe('Nothing matches.');
});

it('where several fit the line goes on with what they have in common, then they are numbered', async () => {
  const { front, complete, press, output } = lineOf('see @src/a');
  await complete();
  expect(front.state.input.text).toBe('see @src/app');
  const asked = complete();
  await expect.poll(output).toContain('  1  src/app.ts\r\n  2  src/apple.ts\r\n');
  press({ name: 'text', text: '2' });
  press({ name: 'enter' });
  await asked;
  expect(front.state.input.text).toBe('see @src/apple.ts ');
});
