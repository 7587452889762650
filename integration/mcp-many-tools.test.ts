import { expect, it } from 'vitest';
import { mcpStages, server, toolsIn } from './mcp/stage.js';

const stage = mcpStages('many tools');

it('5,000 tools wait behind tool_search, and what it loads is appended', async () => {
  const { run, model, declared, responses } = await stage(
    { many: server.misbehaving('five-thousand-tools'), everything: server.everything },
    {
      answers: [
        { calls: [{ name: 'tool_search', arguments: { query: 'tool number 4321' } }] },
        { calls: [{ name: 'many__tool_4321', arguments: { value: 'x' } }] },
        { text: 'Done.' },
      ],
    },
  );
  const listed = await run(['mcp', 'list', '--json']);
  const [bill] = JSON.parse(listed.stdout).servers;
  expect(bill).toMatchObject({ name: 'many', tools: 5_000, state: 'ok' });

  const started = performance.now();
  const { code, stderr } = await run(['-p', 'do it', '--allowed-tools', 'Mcp(many)']);
  const took = performance.now() - started;
  expect(code, stderr).toBe(0);
  expect(declared(0)).toContain('tool_search');
  expect(declared(0)).toContain('everything__echo');
  expect(declared(0).some((name) => name.startsWith('many__'))).toBe(false);
  expect(declared(1)).toContain('many__tool_4321');
  const [first, second] = [0, 1].map((request) => JSON.stringify(toolsIn(model, request)));
  expect(second?.startsWith(first?.slice(0, -1) ?? '?')).toBe(true);
  expect(responses().at(-1)).toContain('tool_4321');
  const bytes = model.requests[0]?.bytes.length ?? 0;
  expect(bytes).toBeLessThan(64 * 1024);
  console.log(
    `evidence: 5,000 tools (${bill.bytes} bytes of schema): first request ${bytes} bytes, three turns with a search and a call in ${Math.round(took)} ms; declarations appended, prefix unchanged`,
  );
});
