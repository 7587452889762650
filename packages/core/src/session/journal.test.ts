import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it, onTestFinished } from 'vitest';
import { entriesOf, resumeSession } from './saved-sessions.js';
import { openSession } from './session.js';

const MEGABYTE = 1024 * 1024;

async function journalOf(...calls: Record<string, unknown>[]) {
  const temp = createTempWorkspace();
  onTestFinished(() => temp.cleanup());
  const host = { clock: createClock(), ids: createIds(), workspace: temp.workspace };
  const state = openState({ path: join(temp.outside, 'state'), host });
  const session = openSession({ host, state, redactor: createRedactor(), front: 'test' });
  for (const [index, args] of calls.entries()) {
    const call = { id: `c${index}`, name: 'write_file', args };
    await session.recordMessage({ role: 'model', parts: [{ functionCall: call }] });
    await session.recordCall({ type: 'call-start', callId: call.id, tool: call.name, args, effects: [] });
    const response = { id: call.id, name: call.name, response: { error: 'denied' } };
    await session.recordCall({ type: 'call-end', callId: call.id, tool: call.name, response, display: 'no' });
  }
  await session.close();
  return { id: session.id, path: session.journalPath };
}

it('three refused calls with ten megabytes each leave a small journal, which can be resumed', async () => {
  const saved = await journalOf(
    ...[1, 2, 3].map((count) => ({ file_path: 'a', content: `${count}${'x'.repeat(10 * MEGABYTE)}end` })),
  );
  expect(statSync(saved.path).size).toBeLessThan(MEGABYTE);
  const { messages } = await resumeSession(saved);
  const args = messages[0]?.parts[0]?.functionCall?.args;
  expect(args).toMatchObject({ file_path: 'a' });
  expect(args?.['content']).toMatch(/^1x+\n\[… 9\.8 MB not kept in the journal …\]\nx+end$/);
});

it('many small arguments are bounded together', async () => {
  const saved = await journalOf({ list: Array.from({ length: 300_000 }, (_, index) => `item ${index}`) });
  expect(statSync(saved.path).size).toBeLessThan(MEGABYTE);
  expect((await resumeSession(saved)).messages[0]?.parts[0]?.functionCall?.args).toEqual({
    'not kept': '3.9 MB of arguments',
  });
});

it('what a model usually sends is kept whole for the conversation, and as much as tells of it beside', async () => {
  const content = 'line\n'.repeat(20_000);
  const saved = await journalOf({ file_path: 'a', content });
  const { messages } = await resumeSession(saved);
  expect(messages[0]?.parts[0]?.functionCall?.args).toEqual({ file_path: 'a', content });
  const start = (await entriesOf(saved)).find((entry) => entry.type === 'call-start');
  expect(JSON.stringify(start).length).toBeLessThan(10_000);
});
