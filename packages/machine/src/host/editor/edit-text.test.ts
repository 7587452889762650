import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTempWorkspace } from '../../testing/temp-workspace.js';
import { openStateFolder } from '../state/state-folder.js';
import { type Edited, editText } from './edit-text.js';

const machine = createTempWorkspace();
const state = openStateFolder(join(machine.outside, 'state'));
afterAll(() => machine.cleanup());

/** An editor that runs these lines of shell with the file as `$1`. */
function editor(lines: string): string {
  const path = join(machine.outside, `an editor ${machine.ids.next()}`);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return `'${path}'`;
}

function edit(command: string, { name = 'a.ts', text = 'one\n', signal = AbortSignal.timeout(20_000) } = {}) {
  return editText({ state, ids: machine.ids, editor: command, name, text, signal });
}

const cases: [string, string, Edited][] = [
  ['what was written', 'echo two >> "$1"', { kind: 'written', text: 'one\ntwo\n' }],
  ['that nothing was', 'true', { kind: 'unchanged', text: 'one\n' }],
  ['a name the editor can tell the language by', 'basename "$1" > "$1"', { kind: 'written', text: 'a.ts\n' }],
  [
    'the status of an editor that failed',
    'echo lost > "$1"; exit 3',
    {
      kind: 'failed',
      message: expect.stringMatching(/ended with status 3; what was written there is not used/),
    },
  ],
  ['a file that is gone', 'rm "$1"', { kind: 'failed', message: expect.stringMatching(/removed the file/) }],
  [
    'what is not text',
    `printf '\\377' > "$1"`,
    { kind: 'failed', message: 'What was saved is not UTF-8 text.' },
  ],
];

it.each(cases)('an edit reports %s', async (_what, script, expected) => {
  expect(await edit(editor(script))).toEqual(expected);
});

it('editText takes arguments of the editor, and any name of a file', async () => {
  const appending = editor('[ "$1" = --wait ] && echo "$1" > "$2"');
  expect(await edit(`${appending} --wait`, { name: '-rf $(x); "y"/../z' })).toEqual({
    kind: 'written',
    text: '--wait\n',
  });
});

it('editText names an editor that is not there', async () => {
  expect(await edit('no-such-editor-here 2>/dev/null')).toMatchObject({
    kind: 'failed',
    message: /no-such-editor-here/,
  });
});

it('editText ends the editor with the signal, and leaves no draft behind', async () => {
  const controller = new AbortController();
  const started = join(machine.outside, 'started');
  const waiting = edit(
    editor(`echo $$ > '${started}.new'; mv '${started}.new' '${started}'; exec sleep 60`),
    {
      signal: controller.signal,
    },
  );
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  expect((await waiting).kind).toBe('failed');
  expect(() => process.kill(Number(readFileSync(started, 'utf8')), 0)).toThrow('ESRCH');
  expect(readdirSync(join(state.path, 'stage', 'drafts'))).toEqual([]);
});
