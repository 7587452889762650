import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { wires } from './headless/stream-drops.js';
import { treeDigest } from './malformed/tree-digest.js';
import { createMachine } from './program.js';
import { keys, startConversation } from './terminal/conversation.js';

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const calls: [name: string, json: string][] = [
  ['read_file', deep(100_000)],
  ['read_file', `{"absolute_path":${deep(3_000)}}`],
  ['read_file', '{"__proto__":{"absolute_path":"a.txt"}}'],
  ['read_file', '["a.txt"]'],
  ['write_file', '{"file_path":"n.txt","content":"half of wh'],
  ['write_file', '{"file_path":"n.txt","content":"\\ud800"}'],
  ['edit', '{"file_path":"a.txt","old_string":"x","new_string":"y","written":"z"}'],
  ['edit', '{"file_path":"a.txt","old_string":"alpha","new_string":"never read before"}'],
  ['__proto__', '{}'],
  ['read file', '{"absolute_path":"a.txt"}'],
  ['x'.repeat(100_000), '{}'],
];

it.each(wires)(
  'whatever a model behind %s asks for, it is answered and the session goes on',
  async (wire) => {
    const asked = calls.map(([name, json]) => ({ name, arguments: json }));
    const server = await startFakeModelServer({ answers: [{ calls: asked }, { text: 'Sorry.' }] });
    const machine = createMachine({ 'a.txt': 'alpha\n' });
    const before = treeDigest(machine.workspace);
    const { stdout, stderr, code } = await machine.run(
      ['-p', 'x', '-y', '--output-format', 'json', '--provider', wire],
      {
        env: server.environment(wire),
      },
    );
    expect([stderr, code]).toEqual(['', 0]);
    const { response, stats } = JSON.parse(stdout);
    expect([response, stats.calls, stats.turns]).toEqual(['Sorry.', calls.length, 2]);
    expect(server.requests[1]?.bytes.toString()).not.toMatch(/internal error/i);
    expect(existsSync(join(machine.state, 'log/debug.log'))).toBe(false);
    expect(treeDigest(machine.workspace)).toBe(before);
    const resumed = await machine.run(['sessions', 'show']);
    expect([resumed.stderr, resumed.code]).toEqual(['', 0]);
    machine.cleanup();
    await server.close();
  },
);

/** Sequences that a terminal would act on, cut wherever a stream may be cut; a real one is no matter for a pipe. */
const escapes = ['\x1b', ']0;title\x07', '\x1b[2', 'J\x9b31m\u202e', 'end \x1b[6n\r\x08 of it'];

it.each([[['-p', 'x']], [[]]])('what a model says with %j does nothing to a terminal', async (args) => {
  const server = await startFakeModelServer({ answers: [{ text: escapes }] });
  const talk = await startConversation({ args, env: { ...server.environment('openai'), NO_COLOR: '1' } });
  if (args.length === 0) {
    await talk.ready();
    talk.type(`x${keys.enter}`);
  }
  await talk.see('[6n');
  expect(talk.text()).toContain('␛]0;title␇␛[2J<U+009B>31m<U+202E>end ␛[6n');
  // The program's own titles of the window have a bell at their end.
  const written = talk.raw().replace(/\x1b\]2;(\* Toolwright is working|Toolwright)\x07/g, '');
  expect(written).not.toMatch(/\x1b\][02];|\x1b\[2J|\x1b\[6n|[\x07\x9b\u202e]/);
  talk.close();
  await server.close();
});
