import { ToolError } from '@toolwright/machine/base/errors.js';
import { expect, it } from 'vitest';
import { createCallBench } from '../../testing/call-bench.js';
import { scriptedConfirm } from '../../testing/scripted-confirm.js';
import { AgentTool, type ChangesOfAgent } from './agent.js';

const stopped = 'The hook guard ended the run: enough.';

/** The tool with one agent, whose work apart a hook has ended after it changed a file. */
function endedAgent(merge: ChangesOfAgent['merge']): AgentTool {
  const report = {
    agent: 'writer',
    text: 'Half of it.',
    turns: 1,
    calls: 1,
    did: [],
    ended: stopped,
    stopped,
  };
  const effects = [{ kind: 'write' as const, path: '/work/a.txt' }];
  const diff = { kind: 'diff' as const, files: [] };
  const changes = { summary: '1 file changed', diff, effects, warnings: [], merge, drop: async () => {} };
  return new AgentTool({
    slot: null,
    agents: [{ name: 'writer', description: 'Writes.', prompt: 'Write.', from: 'the test' }],
    list: { room: 1_000, bytesOf: (text) => text.length },
    problems: [],
    run: async () => report,
    runApart: async () => ({ report, changes }),
    whyNotApart: () => null,
  });
}

const refused = async (): Promise<never> => {
  throw new ToolError('conflict', 'Somebody else changed a.txt.');
};

it.each<[string, ChangesOfAgent['merge'], 'once' | 'cancel']>([
  ['which is merged', async () => ({ changeSet: 'c1', notes: [] }), 'once'],
  ['which the user refuses', refused, 'cancel'],
  ["which can't be merged", refused, 'once'],
])(
  'a hook that ended the work of an agent apart ends the whole run, with work %s',
  async (_, merge, kind) => {
    const confirm = scriptedConfirm({ kind });
    const bench = await createCallBench({ tools: [], mode: 'default', confirm });
    bench.registry.registerTool(endedAgent(merge), { kind: 'builtin' });
    const [settled] = await bench.run([['agent', { agent: 'writer', task: 'write', apart: true }]]);
    expect([confirm.asked.length, settled?.stopped]).toEqual([1, stopped]);
  },
);
