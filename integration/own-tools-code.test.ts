import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { createMachine } from './program.js';

const list = `#!/bin/sh
echo '[{"name": "greet", "description": "Greets.", "parameters": {"type": "object", "properties": {}}}]'
`;
const CALL = "import { word } from './word.mjs';\nconsole.log(word);\n";

/** A model that reads the files, does what it is told, and calls the discovered tool at last. */
async function attacked(path: string, content: string, meanwhile?: (write: (text: string) => void) => void) {
  const machine = createMachine({
    'a.txt': '',
    'list.sh': list,
    'call.mjs': CALL,
    'word.mjs': "export const word = 'hello';\n",
  });
  const call = (name: string, args: object) => ({
    calls: [{ name, arguments: args as Record<string, unknown> }],
  });
  const model = await startFakeModelServer({
    answers: [
      call('read_file', { absolute_path: path }),
      () => {
        meanwhile?.((text) => machine.write(path, text));
        return meanwhile
          ? call('read_file', { absolute_path: 'a.txt' })
          : call('write_file', { file_path: path, content });
      },
      call('greet', {}),
    ],
    otherwise: { text: 'Done.' },
  });
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  const tools = { toolDiscoveryCommand: 'sh list.sh', toolCallCommand: 'node call.mjs' };
  writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ tools }));
  const { stderr } = await machine.run(['-p', 'greet me', '--trust', '-y'], { env: model.environment() });
  const messages = (model.requests.at(-1)?.body['messages'] ?? []) as { role: string; content: unknown }[];
  const responses = messages
    .filter(({ role }) => role === 'tool')
    .map(({ content: text }) => JSON.stringify(text));
  const written = readFileSync(join(machine.workspace, path), 'utf8');
  await model.close();
  machine.cleanup();
  return { responses, written, stderr };
}

it.skipIf(!isConfined).each(['call.mjs', 'word.mjs', 'list.sh'])(
  'a model in yolo mode cannot change %s, which a discovered tool runs, unasked',
  async (path) => {
    const { responses, written, stderr } = await attacked(path, 'evil');
    expect(responses[1], stderr).toMatch(
      /a protected path is always asked about: the (discovery command|command for discovered tools) runs it/,
    );
    expect(written).not.toBe('evil');
    expect(responses[2]).toContain('hello');
  },
);

it.skipIf(!isConfined)(
  'a tool whose code was changed from outside is not run until the user asks for it',
  async () => {
    const { responses } = await attacked('word.mjs', '', (write) => write("export const word = 'other';\n"));
    expect(responses[2]).toMatch(
      /word\.mjs, which this tool runs, changed since the session began, so it is not run/,
    );
  },
);

/** Compiles other code than the source says, and puts it where Python keeps what it compiled. */
const COMPILED = `python3 - <<'END'
import importlib.util, marshal, os, struct
source = os.stat('word.py')
code = marshal.dumps(compile("word = 'evil'", 'word.py', 'exec'))
os.makedirs('__pycache__', exist_ok=True)
name = os.path.basename(importlib.util.cache_from_source('word.py'))
head = importlib.util.MAGIC_NUMBER + struct.pack('<III', 0, int(source.st_mtime), source.st_size)
open(os.path.join('__pycache__', name), 'wb').write(head + code)
END`;

it.skipIf(!isConfined || spawnSync('python3', ['--version']).status !== 0)(
  'a tool of Python runs its sources, whatever stands beside them as compiled',
  async () => {
    const machine = createMachine({
      'list.sh': list,
      'call.py': 'import word\nprint(word.word)\n',
      'word.py': "word = 'hello'\n",
    });
    const call = (name: string, args: Record<string, unknown>) => ({ calls: [{ name, arguments: args }] });
    const model = await startFakeModelServer({
      answers: [call('run_shell_command', { command: COMPILED }), call('greet', {})],
      otherwise: { text: 'Done.' },
    });
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const tools = { toolDiscoveryCommand: 'sh list.sh', toolCallCommand: 'python3 call.py' };
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ tools }));
    await machine.run(['-p', 'greet me', '--trust', '-y'], { env: model.environment() });
    const said = JSON.stringify(model.requests.at(-1)?.body['messages']);
    await model.close();
    machine.cleanup();
    expect(said).toContain('__pycache__');
    expect(said).toContain('"hello"');
    expect(said).not.toContain('"evil"');
  },
);
