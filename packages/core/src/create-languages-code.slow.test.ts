import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { SettledCall } from './scheduler/call.js';

const typescript = fileURLToPath(new URL('../../../node_modules/typescript', import.meta.url));
const { signal } = new AbortController();
const USERS = 40;

let temp: TempWorkspace;
let toolbox: Toolbox;

/**
 * The workspace has a function, forty files that use it (one of them with other line ends and a mark), and one that only has its name in a
 * text.
 */
const content: Record<string, string> = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler"}}',
  'src/area.ts':
    '/** Square units. */\nexport function area(width: number): number {\n  return half(width) * 2;\n}\n\nfunction half(value: number): number {\n  return value / 2;\n}\n',
  'src/other.ts': "export const text = 'area';\n",
};
for (let index = 0; index < USERS; index++)
  content[`src/user${index}.ts`] =
    `import { area } from './area';\n\nexport const size${index} = area(${index}) + area(1);\n`;
content['src/user7.ts'] = `\uFEFF${content['src/user7.ts']!.replaceAll('\n', '\r\n')}`;

beforeAll(async () => {
  temp = createTempWorkspace({ content });
  mkdirSync(join(temp.directory, 'node_modules'));
  symlinkSync(typescript, join(temp.directory, 'node_modules/typescript'));
  const path = join(temp.outside, 'hooks.json');
  mkdirSync(temp.outside, { recursive: true });
  const command = 'grep -q guarded || exit 0; echo not user3 >&2; exit 2';
  const guard = { matcher: 'Edit|Write', hooks: [{ type: 'command', command, if: 'Edit(user3.ts)' }] };
  writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [guard] } }));
  toolbox = await createToolbox({
    pieces: { hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn: true }] },
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    trusted: true,
    forModel: true,
    languages: { waitMs: 30_000 },
    confirm: async (request) => {
      asked.push(request.details);
      return { kind: 'once' };
    },
  });
});
afterAll(async () => {
  await toolbox.close();
  await temp.cleanup();
});

const asked: unknown[] = [];

async function call(name: string, args: Record<string, unknown>): Promise<SettledCall> {
  const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], signal);
  return settled!;
}

async function code(args: Record<string, unknown>): Promise<string> {
  const { response } = await call('code', args);
  return String(response.response?.['output'] ?? response.response?.['error']);
}

it('the tool appears when a server works', async () => {
  expect(toolbox.registry.getTool('code')).toBeUndefined();
  await call('read_file', { absolute_path: 'src/area.ts' });
  for (let turn = 0; turn < 300 && !toolbox.registry.getTool('code'); turn++)
    await new Promise((done) => setTimeout(done, 50));
  expect(toolbox.registry.getTool('code')?.displayName).toBe('Code');
}, 30_000);

it('a hook about edits is asked about the files of a rename, and not about questions', async () => {
  const rename = { action: 'rename', file_path: 'src/area.ts', symbol: 'area', new_name: 'guarded' };
  expect((await call('code', rename)).denied?.reason).toMatch(/says no: not user3$/);
  expect((await call('code', { ...rename, action: 'references' })).error).toBeUndefined();
  expect(asked).toEqual([]);
});

it('the code tool answers about definitions, uses, meaning, callers and names', async () => {
  const use = { file_path: 'src/user3.ts', symbol: 'area', line: 3 };
  expect(await code({ action: 'definition', ...use })).toBe(
    'src/area.ts:2:17: export function area(width: number): number {',
  );
  const references = await code({ action: 'references', ...use });
  expect(references).toMatch(/^121 places in 41 files:\nsrc\//);
  expect(references).toContain('and 21 more.');
  expect(references).not.toContain('other.ts');
  expect(await code({ action: 'hover', ...use })).toContain('function area(width: number): number');
  const calls = await code({ action: 'calls', file_path: 'src/area.ts', symbol: 'half', line: 6 });
  expect(calls).toBe('Called by:\nsrc/area.ts:2: area\nCalls nothing that the server knows.');
  expect(await code({ action: 'calls', file_path: 'src/area.ts', symbol: 'area' })).toMatch(
    /^Called by:\nsrc\/user.*\nCalls:\nsrc\/area\.ts:6: half$/s,
  );
  expect(await code({ action: 'symbols', file_path: 'src/area.ts' })).toBe(
    '2: function area\n6: function half',
  );
  expect(await code({ action: 'symbols', symbol: 'size39' })).toContain('src/user39.ts:3: ');
}, 30_000);

it('the code tool says what to do where a name or a server is missing', async () => {
  expect(await code({ action: 'hover', file_path: 'src/area.ts', symbol: 'nothing' })).toBe(
    '"nothing" is not in src/area.ts. Copy the name from the file.',
  );
  expect(await code({ action: 'hover', file_path: 'tsconfig.json', symbol: 'strict' })).toBe(
    'No language server works for tsconfig.json. Search by text instead.',
  );
  expect(await code({ action: 'rename', file_path: 'src/area.ts', symbol: 'area' })).toContain(
    'new_name is missing.',
  );
});

it('the code tool renames in forty-one files after one question with all changes, byte for byte elsewhere, and all of it is undone at once', async () => {
  const before = { ...content };
  const { response, changeSet, error } = await call('code', {
    action: 'rename',
    file_path: 'src/area.ts',
    symbol: 'area',
    new_name: 'surface',
  });
  expect(error).toBeUndefined();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ kind: 'edit', title: 'Rename area to surface wherever it is used' });
  expect(String(response.response?.['output'])).toMatch(
    /^Renamed area to surface: 121 places in 41 files\.\nsrc\//,
  );
  expect(response.response?.['notes']).toBeUndefined();
  for (const [path, text] of Object.entries(before)) {
    const expected =
      path === 'src/other.ts' || path === 'tsconfig.json' ? text : text.replace(/\barea\b(?!')/g, 'surface');
    expect(temp.read(path)).toBe(expected);
  }
  // The model need not read a file again that it has seen before.
  const edited = await call('edit', { file_path: 'src/area.ts', old_string: '* 2;', new_string: '* 2.0;' });
  expect(edited.error).toBeUndefined();
  for (const id of [edited.changeSet, changeSet]) {
    const change = await committed(id!);
    const undo = await toolbox.planUndo({ changeSet: change }, signal);
    if (undo.kind !== 'ready') throw new Error(undo.kind);
    await toolbox.undo(undo.planned, id!, signal);
  }
  for (const [path, text] of Object.entries(before)) expect(temp.read(path)).toBe(text);
}, 30_000);

async function committed(id: string) {
  const { readFileSync } = await import('node:fs');
  const entries = readFileSync(toolbox.session.journalPath, 'utf8').trim().split('\n');
  return entries.map((line) => JSON.parse(line)).find((entry) => entry.changeSet?.id === id).changeSet;
}
