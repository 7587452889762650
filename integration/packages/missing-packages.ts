/** A program that uses everything that needs an optional package, and prints what it is told. */
export const askForEverything = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createToolbox, parseServer, serveMcp } from '@toolwright/core';

const here = process.env['PLACE'] ?? '';
const tools = join(here, 'tools');
mkdirSync(tools, { recursive: true });
writeFileSync(join(here, 'notes.txt'), 'alpha TODO\\n');
writeFileSync(join(here, 'a.pdf'), '%PDF-1.4\\n%%EOF\\n');
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
writeFileSync(join(here, 'a.png'), Buffer.from(pixel, 'base64'));
writeFileSync(join(tools, 'greet.ts'), 'export default {};\\n');
const program = { command: process.execPath, args: ['no-such-server.mjs'] };
const servers = [
  { config: parseServer('program', program, 'here'), place: '' },
  { config: parseServer('address', { url: 'http://127.0.0.1:9/mcp' }, 'here'), place: '' },
];
const toolbox = await createToolbox({
  workspace: here,
  stateFolder: join(here, '..', 'state'),
  ownTools: { folders: [{ path: tools }] },
  mcp: { servers, say: () => undefined },
});
for (const notice of toolbox.notices) console.log('notice:', notice);
const signal = AbortSignal.timeout(60_000);
const calls = [
  { id: '1', name: 'read_file', arguments: { absolute_path: 'a.pdf' } },
  { id: '2', name: 'read_file', arguments: { absolute_path: 'a.png' } },
  { id: '3', name: 'grep_search', arguments: { pattern: 'TODO' } },
  { id: '4', name: 'list_directory', arguments: { path: '.' } },
  { id: '5', name: 'run_shell_command', arguments: { command: 'echo from the shell' } },
];
for (const { tool, response } of await toolbox.scheduler.run(calls, signal))
  console.log(tool + ':', response.response?.error ?? JSON.stringify(response.response?.output));
for (const server of toolbox.mcp?.servers ?? [])
  await server.refresh(signal).catch((error: Error) => console.log(server.config.alias + ':', error.message));
const over = { kind: 'stdio', input: new PassThrough(), output: new PassThrough() } as const;
await serveMcp(toolbox, { over, signal }).catch((error: Error) => console.log('serving:', error.message));
await toolbox.close();
`;
