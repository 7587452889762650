import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';

const secret = 'correct-horse-battery-staple';

it('a known secret reaches neither the model nor the state folder, by whatever tool it is found', async () => {
  const server = await startFakeModelServer({
    answers: [
      {
        calls: [
          { name: 'read_file', arguments: { absolute_path: 'a.env' } },
          { name: 'grep_search', arguments: { pattern: 'KEY' } },
          { name: 'read_many_files', arguments: { paths: ['*'], use_default_excludes: false } },
          {
            name: 'edit',
            arguments: { file_path: 'a.env', old_string: 'KEY=correct-horze-battery', new_string: 'x' },
          },
        ],
      },
      { text: 'Done.' },
    ],
  });
  const machine = createMachine({ 'a.env': `A=1\nKEY=${secret}\n`, 'AGENTS.md': `The key is ${secret}.\n` });
  const env = { ...server.environment('openai'), SERVICE_API_KEY: secret };
  const prompt = `What is in @a.env? Not ${secret}, I hope.`;
  const { code } = await machine.run(['-p', prompt, '--debug', '-y'], { env });
  expect(code).toBe(0);
  const sent = server.requests.map(({ bytes }) => bytes.toString());
  expect(sent).toHaveLength(2);
  expect(sent.filter((request) => request.includes(secret))).toEqual([]);
  expect(sent[1]).toContain('KEY=[redacted]');
  const kept = readdirSync(machine.state, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const holding = kept.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
  expect(holding.map(({ name }) => name)).toEqual([]);
  expect(readFileSync(join(machine.workspace, 'a.env'), 'utf8')).toContain(secret);
  machine.cleanup();
  await server.close();
});
