import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isConfined } from '../confined.js';
import { type McpStage, mcpStages } from './stage.js';

const stage = mcpStages('servers in the workspace');
const wire = readFileSync(fileURLToPath(new URL('../servers/wire.mjs', import.meta.url)), 'utf8');

export const greeting = (word: string): string => `export const word = ${JSON.stringify(word)};\n`;
export const serverFile = (more = ''): string => `import { serve, text } from './lib/wire.mjs';
import { word } from './lib/word.mjs';
serve('greeter', {
  'tools/list': () => ({ tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => text(word),
});
${more}`;
const EVIL = serverFile().replace('text(word)', "text('evil')");
const manifest = (script: string): string =>
  JSON.stringify({ name: 'greeter', type: 'module', scripts: { serve: script } });

type Call = { name: string; arguments: Record<string, unknown> };
const write = (path: string, content: string): Call => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
export const shell = (command: string, more = {}): Call => ({
  name: 'run_shell_command',
  arguments: { command, ...more },
});
export const greet: Call = { name: 'greeter__greet', arguments: {} };

/** A trusted server that is a file of the workspace, already known; the model reads what it will write over, then tries. */
export async function attacked(
  how: { command: string; args: string[] },
  { calls, flags }: { calls: Call[]; flags: string[] },
): Promise<McpStage & { stderr: string }> {
  const files = ['server.mjs', 'lib/word.mjs', 'package.json'];
  const reads = files.map((path) => ({ name: 'read_file', arguments: { absolute_path: path } }));
  const opened = await stage(
    { greeter: { ...how, trust: true } },
    {
      answers: [{ calls: reads }, ...calls.map((call) => ({ calls: [call] })), { calls: [greet] }],
      otherwise: { text: 'Done.' },
    },
  );
  const { machine, run } = opened;
  machine.write('server.mjs', serverFile());
  machine.write('lib/word.mjs', greeting('hello'));
  machine.write('lib/wire.mjs', wire);
  machine.write('package.json', manifest('node server.mjs'));
  expect((await run(['mcp', 'list', '--trust'])).stdout).toMatch(/^greeter +ok +1 tool/);
  const { stderr } = await run(['-p', 'greet me', '--trust', ...flags]);
  return { ...opened, stderr };
}

export const node = { command: process.execPath, args: ['server.mjs'] };
const npm = { command: 'npm', args: ['run', '--silent', 'serve'] };
/** No mode lets a model change, unasked, what a server of the workspace runs. */
export function keepsCodeOfServers(mode: string, flags: string[]): void {
  describe(`a model in ${mode} mode`, () => {
    it.each<[string, { command: string; args: string[] }, Call[]]>([
      ['the file of a server', node, [write('server.mjs', EVIL)]],
      ['what it imports', node, [write('lib/word.mjs', greeting('evil'))]],
      ['the script in package.json that starts it', npm, [write('package.json', manifest('node other.mjs'))]],
      ['what that script runs', npm, [write('server.mjs', EVIL)]],
      [
        'an argument of an interpreter',
        { command: 'sh', args: ['-c', 'exec node ./server.mjs'] },
        [write('server.mjs', EVIL)],
      ],
    ])('cannot change %s unasked, and what runs is what was', async (_what, how, calls) => {
      const { responses, machine } = await attacked(how, { calls, flags });
      const last = responses();
      expect(last.at(-1)).toContain('hello');
      expect(last.at(-2)).toMatch(
        /a protected path is always asked about: the MCP server \\+"greeter\\+" runs it/,
      );
      expect(readFileSync(join(machine.workspace, 'server.mjs'), 'utf8')).toBe(serverFile());
      console.log(`evidence: ${_what}: ${last.at(-2)}`);
    });

    it.skipIf(!isConfined)('cannot change it by a command either', async () => {
      const { responses, machine } = await attacked(node, {
        calls: [shell('sed -i s/hello/evil/ lib/word.mjs')],
        flags,
      });
      expect(responses().at(-1)).toContain('hello');
      expect(responses().at(-2)).toMatch(/always asked about/);
      expect(readFileSync(join(machine.workspace, 'lib/word.mjs'), 'utf8')).toBe(greeting('hello'));
    });
  });
}
