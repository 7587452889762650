import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine, type Machine } from './program.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('scripts');
const files = { 'src/a.txt': 'old();\n', 'src/b.txt': 'old();\n' };
const code = `for (const path of await tools.glob({ pattern: 'src/*.txt' })) {
  await tools.read_file({ absolute_path: path });
  await tools.edit({ file_path: path, old_string: 'old', new_string: 'fresh' });
}
print('changed', (await tools.glob({ pattern: 'src/*.txt' })).length);`;

function machineWithScripts(): Machine {
  const machine = createMachine(files);
  mkdirSync(machine.state, { recursive: true });
  writeFileSync(join(machine.state, 'settings.json'), '{"tools": {"script": true}}');
  return machine;
}

it('a script of a model is one turn, one change and one undo, and its events are plain data', async () => {
  const machine = machineWithScripts();
  const model = await startFakeModelServer({
    answers: [{ calls: [{ id: 'c1', name: 'script', arguments: { code } }] }, { text: 'Done.' }],
  });
  try {
    const args = ['-p', 'change them', '--approval-mode', 'auto-edit', '--output-format', 'stream-json'];
    const { stdout, code: status } = await machine.run(args, { env: model.environment() });
    expect(status).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ type }) => type === 'call-start').map(({ tool }) => tool)).toEqual(['script']);
    const end = events.find(({ type }) => type === 'call-end');
    expect(end.display).toMatchObject({ kind: 'markdown' });
    expect(end.display.text).toContain('- Edit src/a.txt');
    const [first, second] = model.requests.map(({ bytes }) => bytes.toString());
    expect(Buffer.byteLength(first!)).toBeLessThan(12_000);
    console.log(`first request with the tool script: ${Buffer.byteLength(first!)} bytes`);
    expect(second).toContain('changed 2\\n[6 calls]\\n[2 files changed, kept as one change]');
    expect(readFileSync(join(machine.workspace, 'src/b.txt'), 'utf8')).toBe('fresh();\n');
    expect((await machine.run(['undo'])).code).toBe(0);
    expect(readFileSync(join(machine.workspace, 'src/a.txt'), 'utf8')).toBe('old();\n');
  } finally {
    await model.close();
    machine.cleanup();
  }
});

/** The number of times that a script flushed something which changes so many files and then throws. */
async function flushesOf(changes: number): Promise<number> {
  const machine = machineWithScripts();
  const log = join(machine.home, 'flushes.json');
  try {
    const code = `for (let at = 0; at < ${changes}; at++) {
  await tools.write_file({ file_path: 'src/' + at + '.txt', content: 'one' });
  await tools.edit({ file_path: 'src/' + at + '.txt', old_string: 'one', new_string: 'two' });
}
throw new Error(await tools.read_file({ absolute_path: 'src/0.txt' }))`;
    const env = {
      NODE_OPTIONS: `--trace-event-categories=node.fs.async --trace-event-file-pattern=${log}`,
    };
    const { stderr } = await machine.run(
      ['tools', 'run', 'script', '--args', JSON.stringify({ code }), '-y'],
      {
        env,
      },
    );
    expect(stderr).toContain('The script threw Error: two');
    const { traceEvents } = JSON.parse(readFileSync(log, 'utf8')) as { traceEvents: { name: string }[] };
    expect(traceEvents.length).toBeGreaterThan(changes);
    return traceEvents.filter(({ name }) => /sync/.test(name)).length;
  } finally {
    machine.cleanup();
  }
}

it('a script flushes nothing of what it changes before the user keeps it', async () => {
  const [few, many] = await Promise.all([flushesOf(1), flushesOf(9)]);
  expect(many).toBe(few);
});

it('tools run has the tool where the settings want it, and changes nothing where nobody can be asked', async () => {
  const machine = machineWithScripts();
  try {
    const args = ['tools', 'run', 'script', '--args', JSON.stringify({ code })];
    const refused = await machine.run(args);
    expect(refused.code).toBe(54);
    expect(readFileSync(join(machine.workspace, 'src/a.txt'), 'utf8')).toBe('old();\n');
    const { stdout, code: status } = await machine.run([...args, '-y']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('changed 2')]);
    const checked = await machine.run(['tools', 'check', 'script', '--args', '{"code": "return 1 + 1"}']);
    expect(checked.stdout).toContain('Grade A');
  } finally {
    machine.cleanup();
  }
});

flow('the user is shown what a script changed, once, and sees the script and its calls', async () => {
  const machine = machineWithScripts();
  const talk = await start({ machine });
  await talk.ready();
  talk.type(`use script with ${JSON.stringify({ code, description: 'old becomes fresh' })}\r`);
  await talk.until(() => talk.isAsked(), 'the question');
  expect(talk.text()).toMatch(/Run a script: old becomes fresh \+2 -2/);
  expect(talk.text()).toMatch(/1 - old\(\);\s+1 \+ fresh\(\);/);
  talk.type('y');
  await talk.ready();
  expect(talk.text()).toMatch(/● Run a script: old becomes fresh/);
  expect(talk.text()).toMatch(
    /for \(const path of await tools\.glob[\s\S]*6 calls:[\s\S]*• Edit src\/b\.txt[\s\S]*\+fresh\(\);/,
  );
  expect(readFileSync(join(machine.workspace, 'src/a.txt'), 'utf8')).toBe('fresh();\n');
  talk.type(keys.ctrlD);
  await talk.ended();
  await tidy(machine, talk);
});
