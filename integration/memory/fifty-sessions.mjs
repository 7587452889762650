import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from '@toolwright/core';

/** Opens fifty sessions, lets each answer a prompt, closes them; twice. Prints the heap at each step, and what was never freed. */
const SESSIONS = 50;
const [place] = process.argv.slice(2);
const model = {
  provider: 'mine',
  model: 'reader',
  async *stream({ messages }) {
    if (messages.some(({ parts }) => parts.some((part) => part.functionResponse))) {
      yield { type: 'text-delta', text: 'Done.' };
      yield { type: 'finish', reason: 'stop', parts: [{ text: 'Done.' }] };
      return;
    }
    const functionCall = { id: '1', name: 'read_file', args: { absolute_path: 'mine.txt' } };
    yield { type: 'call', call: { id: '1', name: 'read_file', arguments: functionCall.args } };
    yield { type: 'finish', reason: 'calls', parts: [{ functionCall }] };
  },
};

async function measure() {
  for (let round = 0; round < 5; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapUsed, rss };
}

async function openOne(_, user) {
  const workspace = join(place, 'users', String(user));
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'mine.txt'), `of user ${user}\n`);
  const agent = await createAgent({ workspace, stateFolder: join(place, 'state'), model });
  const { reason, calls } = await agent.prompt('What is mine?');
  if (reason !== 'done' || calls !== 1)
    throw new Error(`the prompt ended with ${reason} after ${calls} calls`);
  return agent;
}

const seen = [];
async function openAndClose() {
  const agents = await Promise.all(Array.from({ length: SESSIONS }, openOne));
  seen.push(...agents.map((agent) => new WeakRef(agent)));
  const open = await measure();
  await Promise.all(agents.map((agent) => agent.close()));
  return open;
}

// The first round compiles the code, which stays.
await openAndClose();
const before = await measure();
const open = await openAndClose();
const closed = await measure();
const left = seen.filter((agent) => agent.deref() !== undefined).length;
console.log(JSON.stringify({ before, open, closed, left }));
