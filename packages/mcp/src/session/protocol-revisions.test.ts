import { textOf } from '@toolwright/machine/base/content.js';
import { afterAll, expect, it } from 'vitest';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

it('a server that knows no handshake is spoken to in the newer revision, questions to the user included', async () => {
  const server = await bench.openFile('modern-only', [], {
    needs: { onElicit: async () => ({ action: 'accept', content: { name: 'Ada' } }) },
  });
  expect(server.info).toMatchObject({ name: 'modern-only', protocolVersion: '2026-07-28' });
  expect((await server.listTools(never)).items.map(({ name }) => name)).toEqual(['greet']);
  const result = await server.callTool('greet', {}, { signal: never });
  expect(textOf(result.parts)).toBe('hello Ada, 2026-07-28');
});

it('an older server keeps its handshake', async () => {
  const server = await bench.openFile('garbage');
  expect(server.info.protocolVersion).toBe('2025-11-25');
  // The server's name is printed inside our own lines.
  expect(server.info.name).toBe('gar bage[31m');
});
