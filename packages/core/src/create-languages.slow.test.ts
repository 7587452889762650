import { mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processesNaming } from '@toolwright/machine/testing/processes-naming.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { ToolboxOptions } from './options/toolbox-options.js';

/** The compiler of this repository is a language server too. */
const typescript = fileURLToPath(new URL('../../../node_modules/typescript', import.meta.url));
const { signal } = new AbortController();

let temp: TempWorkspace;
let toolbox: Toolbox;

beforeEach(() => {
  temp = createTempWorkspace({
    content: {
      'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler"}}',
      'src/a.ts': 'export function add(one: number, other: number): number {\n  return one + other;\n}\n',
      'src/b.ts': "import { add } from './a';\n\nexport const sum: number = add(1, 2);\n",
      'src/broken.ts': "export const broken: number = 'text';\n",
    },
  });
  mkdirSync(join(temp.directory, 'node_modules'));
  symlinkSync(typescript, join(temp.directory, 'node_modules/typescript'));
});
afterEach(async () => {
  await toolbox.close();
  await temp.cleanup();
});

async function open(more: Partial<ToolboxOptions> = {}): Promise<void> {
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'yolo',
    trusted: true,
    forModel: true,
    languages: { waitMs: 30_000 },
    confirm: async () => ({ kind: 'once' }),
    ...more,
  });
}

async function call(name: string, args: Record<string, unknown>): Promise<string[]> {
  const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], signal);
  expect(settled?.error).toBeUndefined();
  return (settled?.response.response?.['notes'] as string[] | undefined) ?? [];
}

const read = (path: string) => call('read_file', { absolute_path: path });
const edit = (path: string, old_string: string, new_string: string) =>
  call('edit', { file_path: path, old_string, new_string });

describe('with a TypeScript server of the workspace', () => {
  it('a change is followed by the errors that it brought, in other files too, and by nothing when it brought none', async () => {
    await open();
    await read('src/a.ts');
    expect(await edit('src/a.ts', 'one + other;', 'one + other + 0;')).toEqual([]);
    expect(await edit('src/a.ts', 'return one + other + 0;', 'return String(one);')).toEqual([
      "1 new error after this change, says typescript-go 7.0.2:\nsrc/a.ts:2:3: Type 'string' is not assignable to type 'number'. (2322)",
    ]);
    // The error that is there already is not told again.
    expect(await edit('src/a.ts', 'export function', '// Adds.\nexport function')).toEqual([]);
    expect(await edit('src/a.ts', 'one: number, other: number', 'one: number')).toEqual([
      '1 new error after this change, says typescript-go 7.0.2:\nsrc/b.ts:3:35: Expected 1 arguments, but got 2. (2554)',
    ]);
    const written = await call('write_file', {
      file_path: 'src/c.ts',
      content: "import { nothing } from './a';\n",
    });
    expect(written).toEqual([
      "1 new error after this change, says typescript-go 7.0.2:\nsrc/c.ts:1:10: Module '\"./a\"' has no exported member 'nothing'. (2305)",
    ]);
    const moved = await call('run_shell_command', { command: 'mv src/a.ts src/sums.ts' });
    expect(moved.join('\n')).toContain("src/b.ts:1:21: Cannot find module './a'");
  }, 60_000);

  it('a patch is followed by the errors that it brought, in all files it changed and in others', async () => {
    await open({ modelName: { provider: 'openai', model: 'gpt-5' } });
    await read('src/a.ts');
    await read('src/b.ts');
    const patched = await call('apply_patch', {
      patch:
        '*** Begin Patch\n*** Update File: src/a.ts\n-export function add(one: number, other: number): number {\n+export function add(one: string, other: number): number {\n' +
        '*** Update File: src/b.ts\n-export const sum: number = add(1, 2);\n+export const sum: string = add(1, 2);\n*** End Patch',
    });
    expect(patched).toEqual([
      [
        '3 new errors after this change, says typescript-go 7.0.2:',
        "src/a.ts:2:3: Type 'string' is not assignable to type 'number'. (2322)",
        "src/b.ts:3:14: Type 'number' is not assignable to type 'string'. (2322)",
        "src/b.ts:3:32: Argument of type 'number' is not assignable to parameter of type 'string'. (2345)",
      ].join('\n'),
    ]);
  }, 60_000);

  it('errors that others have caused meanwhile are not blamed on the change', async () => {
    await open();
    await read('src/b.ts');
    await edit('src/b.ts', 'add(1, 2)', 'add(1, 3)');
    temp.write(
      'src/a.ts',
      'export const add = (one: number, other: number) => one - other;\nexport const two = 2;\n',
    );
    expect(await edit('src/b.ts', "import { add } from './a';", "import { add, two } from './a';")).toEqual(
      [],
    );
  }, 60_000);

  it('what is found after the waiting time is told with the next response', async () => {
    await open({ languages: { waitMs: 0 } });
    await read('src/a.ts');
    expect(await edit('src/a.ts', 'one + other;', 'String(one);')).toEqual([]);
    // Results of `!command` and `@path` are no responses to the model: errors wait for a response.
    for (const path of ['src/a.ts', 'src/b.ts'])
      await toolbox.scheduler.run(
        [{ id: '', name: 'read_many_files', arguments: { paths: [path] } }],
        signal,
        { unheard: true },
      );
    let notes: string[] = [];
    for (let turn = 0; turn < 300 && notes.length === 0; turn++) {
      await new Promise((done) => setTimeout(done, 50));
      notes = await read('src/b.ts');
    }
    expect(notes).toEqual([
      "1 new error after your earlier changes, says typescript-go 7.0.2:\nsrc/a.ts:2:3: Type 'string' is not assignable to type 'number'. (2322)",
    ]);
  }, 60_000);

  it('it runs without network, serves all sessions with the same rules, and ends with the last one that uses it', async () => {
    const before = serverProcesses();
    await open();
    await read('src/a.ts');
    await edit('src/a.ts', 'one + other;', 'one + other + 0;');
    const servers = serverProcesses().filter((pid) => !before.includes(pid));
    const ownNetwork = readlinkSync('/proc/self/ns/net');
    const networks = servers.map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
    expect(networks.some((network) => network !== ownNetwork)).toBe(true);
    const first = toolbox;
    await open({ stateFolder: join(temp.outside, 'state') });
    await read('src/a.ts');
    expect(await edit('src/a.ts', 'one + other + 0;', 'one;\n  missing();')).toEqual([
      "1 new error after this change, says typescript-go 7.0.2:\nsrc/a.ts:3:3: Cannot find name 'missing'. (2304)",
    ]);
    expect(serverProcesses().filter((pid) => !before.includes(pid))).toEqual(servers);
    await first.close();
    expect(await edit('src/a.ts', 'missing();', 'lost();')).toEqual([
      "1 new error after this change, says typescript-go 7.0.2:\nsrc/a.ts:3:3: Cannot find name 'lost'. (2304)",
    ]);
    expect(serverProcesses().filter((pid) => !before.includes(pid))).toEqual(servers);
    // A session with another root shows its server more.
    const second = toolbox;
    mkdirSync(join(temp.outside, 'more'), { recursive: true });
    const include = [{ path: join(temp.outside, 'more'), access: 'read' as const }];
    await open({ stateFolder: join(temp.outside, 'state'), include });
    await read('src/a.ts');
    await edit('src/a.ts', 'lost();', '');
    expect(serverProcesses().length).toBeGreaterThan(before.length + servers.length);
    await toolbox.close();
    expect(serverProcesses().filter((pid) => !before.includes(pid))).toEqual(servers);
    await second.close();
    expect(serverProcesses().filter((pid) => servers.includes(pid))).toEqual([]);
  }, 60_000);

  it('a server that nobody asks anything ends by itself, as often as that happens', async () => {
    const before = serverProcesses();
    await open({ languages: { waitMs: 30_000, idleMs: 1 } });
    await read('src/a.ts');
    const left = () => serverProcesses().filter((pid) => !before.includes(pid));
    for (const [from, to] of [
      ['one + other;', 'one;'],
      ['one;', 'other;'],
      ['other;', 'one * 2;'],
    ] as const) {
      expect(await edit('src/a.ts', from, to)).toEqual([]);
      for (let turn = 0; turn < 300 && left().length > 0; turn++)
        await new Promise((done) => setTimeout(done, 50));
      expect(left()).toEqual([]);
    }
    // However short the idle time is, it does not begin while a question is open.
    expect((await edit('src/a.ts', 'one * 2;', 'String(one);')).join()).toContain('src/a.ts:2:3');
  }, 60_000);

  it('in a session apart it sees the view, and the workspace stays as it was', async () => {
    await open({ apart: true });
    await read('src/a.ts');
    await edit('src/a.ts', 'export function add', 'export function plus');
    expect(temp.read('src/a.ts')).toContain('export function add');
    await read('src/b.ts');
    expect((await edit('src/b.ts', 'import { add }', 'import { plus }')).join('\n')).toContain(
      "src/b.ts:3:28: Cannot find name 'add'",
    );
    expect(await edit('src/b.ts', 'add(1, 2)', 'plus(1, 2)')).toEqual([]);
  }, 60_000);
});

function serverProcesses(): number[] {
  return processesNaming('--lsp');
}

it('nothing of a workspace that nobody trusts is started, and a change there is answered as ever', async () => {
  await open({ trusted: false, environment: { ...process.env, PATH: '/nowhere' } });
  await read('src/a.ts');
  expect(await edit('src/a.ts', 'one + other;', 'String(one);')).toEqual([]);
});

describe('a server that misbehaves leaves every change as it is', () => {
  const hello = `const s = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { capabilities: { diagnosticProvider: {} } } });
    process.stdin.once('data', () => process.stdout.write('Content-Length: ' + s.length + '\\r\\n\\r\\n' + s));`;

  it.each([
    ['that is not there', ['/nowhere/server'], /^$/],
    [
      'that prints something else',
      [process.execPath, '-e', "setInterval(() => console.log('hello'.repeat(9999)), 1)"],
      /^The language server .* could not be started, so errors in odd are not reported: ./,
    ],
    ['that never answers', [process.execPath, '-e', 'process.stdin.resume()'], /^$/],
    [
      'that dies in the middle',
      [process.execPath, '-e', `${hello} setTimeout(() => process.exit(3), 300)`],
      /^/,
    ],
  ])('%s', async (_name, command, told) => {
    const said: string[] = [];
    const say = (sentence: string): void => void said.push(sentence);
    await open({
      languages: { waitMs: 200, servers: { odd: { command, extensions: ['.ts'] } } },
      pieces: { say },
    });
    await read('src/a.ts');
    expect(await edit('src/a.ts', 'one + other;', 'String(one);')).toEqual([]);
    expect(await edit('src/a.ts', 'String(one);', 'String(other);')).toEqual([]);
    expect(temp.read('src/a.ts')).toContain('String(other);');
    await expect.poll(() => said.join('\n'), { timeout: 10_000 }).toMatch(told);
  });
});
