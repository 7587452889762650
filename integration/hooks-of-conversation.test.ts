import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';

it('hooks of a settings file fire at each event of a conversation', async () => {
  const machine = createMachine({ 'long.txt': 'a line of a long text\n'.repeat(600) });
  const server = await startFakeModelServer();
  try {
    const told = join(machine.home, 'told.txt');
    const names = ['UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop', 'Notification', 'PreCompact'];
    const command = `grep -o '"hook_event_name":"[A-Za-z]*' | sed 's/.*"//' >> ${told}`;
    const hooks = Object.fromEntries(
      names.map((name) => [name, [{ hooks: [{ type: 'command', command }] }]]),
    );
    mkdirSync(join(machine.state, 'hooks'), { recursive: true });
    writeFileSync(join(machine.state, 'hooks', 'hooks.json'), JSON.stringify({ hooks }));
    const settings = { model: { contextWindow: 10_000 } };
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify(settings));
    const reads = { name: 'read_file', arguments: { absolute_path: 'long.txt' } };
    const writes = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } };
    server.answer(
      { calls: [reads], usage: { inputTokens: 1_000, outputTokens: 20 } },
      { calls: [writes], usage: { inputTokens: 9_000, outputTokens: 20 } },
      { text: 'A summary.', usage: { inputTokens: 1_000, outputTokens: 20 } },
      { text: 'Done.', usage: { inputTokens: 1_000, outputTokens: 20 } },
    );
    const env = server.environment('openai');
    const ended = await machine.run(['-y', '-p', 'Do it.'], { env });
    const events = () => readFileSync(told, 'utf8').trim().split('\n');
    const whole = ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionStart', 'Stop', 'SessionEnd'];
    expect(events(), ended.stderr).toEqual(whole);
    server.answer({ calls: [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'x' } }] });
    const asked = await machine.run(['-p', 'Write it.', '--on-question', 'park'], { env });
    expect(events().slice(whole.length).sort(), asked.stderr).toEqual([
      'Notification',
      'SessionEnd',
      'SessionStart',
      'UserPromptSubmit',
    ]);
  } finally {
    await server.close();
    machine.cleanup();
  }
});
