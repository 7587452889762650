import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const { onFirstUse, schemasOnFirstUse } = await import(
  new URL('./schemas-on-first-use.mjs', import.meta.url).href
);

type Schemas = Record<string, { safeParse(value: unknown): { success: boolean; data?: unknown } }>;

const generated = join(
  import.meta.dirname,
  '../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js',
);
const cwd = '/work';
const samples: [string, unknown][] = [
  ['zInitializeRequest', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } }],
  ['zInitializeRequest', { protocolVersion: 'one' }],
  ['zNewSessionRequest', { cwd, mcpServers: [{ name: 'a', command: 'b', args: [], env: [] }] }],
  ['zNewSessionRequest', { cwd: 1 }],
  ['zPromptRequest', { sessionId: 's', prompt: [{ type: 'text', text: 'hello' }] }],
  ['zPromptRequest', { sessionId: 's', prompt: [{ type: 'image' }] }],
  ['zSetSessionConfigOptionRequest', { sessionId: 's', configId: 'mode', value: 'plan' }],
];

it('schemas that are made on first use say the same as those that are made at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-schemas-'));
  try {
    const outfile = join(folder, 'schemas.mjs');
    await build({
      entryPoints: [generated],
      outfile,
      bundle: true,
      format: 'esm',
      plugins: [schemasOnFirstUse],
      logLevel: 'silent',
    });
    const [later, atOnce] = (await Promise.all([
      import(pathToFileURL(outfile).href),
      import(pathToFileURL(generated).href),
    ])) as [Schemas, Schemas];
    expect(Object.keys(later).sort()).toEqual(Object.keys(atOnce).sort());
    for (const [name, value] of samples) {
      const { success, data } = atOnce[name]!.safeParse(value);
      expect([name, later[name]!.safeParse(value)]).toMatchObject([
        name,
        { success, ...(success ? { data } : {}) },
      ]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a generated module of another form ends the build', () => {
  expect(() => onFirstUse('export const zA = z.string()\nexport const zB = z.string()\n')).toThrow(
    '0 of 2 schemas could be read',
  );
});
