import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentResult, createAgent } from '@toolwright/core';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { parkRun } from './park.js';

const secret = 'sk-1234567890abcdefghijklmnop';

it('what a parked run keeps of its first part on disk has no secrets', async () => {
  const temp = createTempWorkspace();
  const stateFolder = join(temp.outside, 'state');
  const agent = await createAgent({
    workspace: temp.directory,
    stateFolder,
    environment: { ...process.env, MY_API_KEY: secret },
    model: { provider: 'offline' },
  });
  const result: AgentResult = {
    reason: 'parked',
    response: `The key is ${secret}.`,
    turns: 2,
    calls: 1,
    usage: { inputTokens: 10, outputTokens: 5 },
    denials: [{ callId: 'c', tool: 'run_shell_command', by: 'rule', reason: `the hook says no: ${secret}` }],
    changes: [],
    parked: [],
  };
  await parkRun(agent, result, { words: [], switches: new Set(), values: new Map(), lists: new Map() });
  const [name = ''] = readdirSync(join(stateFolder, 'parked'));
  const saved = readFileSync(join(stateFolder, 'parked', name), 'utf8');
  expect(saved).toContain('the hook says no');
  expect(saved).not.toContain(secret);
  await agent.close();
  await temp.cleanup();
});
