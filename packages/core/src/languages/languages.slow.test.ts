import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@toolwright/machine/host/host.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import { scriptThreadFromSource } from '../tools/script/fixtures/script-thread-from-source.js';
import type { LanguageOptions } from './known-servers.js';
import { createLanguages } from './languages.js';
import type { PooledServer } from './server-pool.js';

const { signal } = new AbortController();

/**
 * A server for which every line with BAD is an error. `refusing` is asked for errors and behaves as rust-analyzer does after a change:
 * it asks questions of its own, and refuses answers as outdated at first. `pushing` sends errors of its own accord. `hungry` takes
 * memory once it works, `silent` never answers about errors.
 */
const SERVER = `
const way = process.argv.at(-1);
const texts = new Map();
let refusals = 0, bytes = Buffer.alloc(0), asked = 0;
const hoard = [];
const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n');
  process.stdout.write(body);
};
const errorsOf = (uri) => (texts.get(uri)?.text ?? '').split('\\n').flatMap((line, at) => line.includes('BAD') ? [{
  range: { start: { line: at, character: line.indexOf('BAD') }, end: { line: at, character: line.length } },
  severity: 1, code: 'E0001', source: 'rustc', message: 'cannot find value BAD in this scope',
}] : []);
const publish = (uri) => way === 'pushing' && send({ method: 'textDocument/publishDiagnostics', params: { uri, version: texts.get(uri).version, diagnostics: errorsOf(uri) } });
const keep = ({ textDocument: { uri, version }, contentChanges }, text = contentChanges[0].text) => {
  texts.set(uri, { text, version });
  refusals = 2;
  publish(uri);
};
const methods = {
  initialize: () => ({ serverInfo: { name: 'rust-analyzer', version: '1.92.0 (abc 2026-01-01)' }, capabilities: { diagnosticProvider: way === 'pushing' ? undefined : { interFileDependencies: true, workspaceDiagnostics: false } } }),
  initialized() {
    for (const [method, params] of [['window/workDoneProgress/create', { token: 'rustAnalyzer/Fetching' }], ['workspace/configuration', { items: [{ section: 'rust-analyzer' }] }], ['client/registerCapability', { registrations: [{ id: 'save', method: 'textDocument/didSave' }] }], ['workspace/diagnostic/refresh', null]])
      send({ id: 'own-' + asked++, method, params });
    send({ method: '$/progress', params: { token: 'rustAnalyzer/Fetching', value: { kind: 'begin', title: 'Fetching' } } });
    if (way === 'hungry') setInterval(() => hoard.push(Buffer.alloc(16 << 20, 1)), 5);
  },
  'textDocument/didOpen': ({ textDocument }) => keep({ textDocument }, textDocument.text),
  'textDocument/didChange': (params) => keep(params),
  'textDocument/diagnostic'({ textDocument }, id) {
    if (way === 'silent') return undefined;
    if (refusals-- > 0) return void send({ id, error: { code: -32801, message: 'content modified' } });
    return { kind: 'full', items: errorsOf(textDocument.uri) };
  },
  shutdown: () => null,
  exit: () => process.exit(0),
};
process.stdin.on('data', (chunk) => {
  bytes = Buffer.concat([bytes, chunk]);
  for (;;) {
    const end = bytes.indexOf('\\r\\n\\r\\n');
    if (end < 0) return;
    const length = Number(/\\d+/.exec(bytes.toString('latin1', 0, end))[0]);
    if (bytes.length < end + 4 + length) return;
    const { id, method, params } = JSON.parse(bytes.toString('utf8', end + 4, end + 4 + length));
    bytes = bytes.subarray(end + 4 + length);
    const result = methods[method]?.(params, id);
    if (id !== undefined && method && result !== undefined) send({ id, result });
  }
});`;

let temp: TempWorkspace;
let toolbox: Toolbox | undefined;
let bin: string;

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'src/main.rs': 'fn main() {\n    one();\n}\n' } });
  bin = join(temp.outside, 'bin');
});
afterEach(async () => {
  await toolbox?.close();
  toolbox = undefined;
  await temp.cleanup();
});

/** Puts a program of this name into a folder, which is the whole PATH of the session. */
async function open(way: string, more: Partial<ToolboxOptions> = {}, folder = bin): Promise<Toolbox> {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'rust-analyzer');
  const script = `#!${process.execPath}\nprocess.argv.push('${way}');\n${SERVER}`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'yolo',
    forModel: true,
    environment: { ...process.env, PATH: folder },
    languages: { waitMs: 30_000 },
    ...more,
  });
  return toolbox;
}

async function call(name: string, args: Record<string, unknown>): Promise<string[]> {
  const [settled] = await toolbox!.scheduler.run([{ id: '1', name, arguments: args }], signal);
  expect(settled?.error).toBeUndefined();
  return (settled?.response.response?.['notes'] as string[] | undefined) ?? [];
}

const edit = (old_string: string, new_string: string) =>
  call('edit', { file_path: 'src/main.rs', old_string, new_string });

describe('a server of the machine', () => {
  it.each(['refusing', 'pushing'])('that speaks as rust-analyzer does, %s, is understood', async (way) => {
    await open(way);
    await call('read_file', { absolute_path: 'src/main.rs' });
    expect(await edit('one();', 'two();')).toEqual([]);
    const notes = await edit('two();', 'two(BAD);');
    console.log(`evidence: a server that speaks as rust-analyzer does, ${way}: ${JSON.stringify(notes)}`);
    expect(notes).toEqual([
      '1 new error after this change, says rust-analyzer 1.92.0:\nsrc/main.rs:2:9: cannot find value BAD in this scope (E0001)',
    ]);
    expect(await edit('two(BAD);', 'two(BAD, 1);')).toEqual([]);
  });

  it('works in a folder that nobody trusts, in the sandbox; one that lies in the folder itself is not started', async () => {
    await open('refusing', { trusted: false });
    const isConfined = (await toolbox!.commands.sandbox.state(signal)).confined;
    await call('read_file', { absolute_path: 'src/main.rs' });
    expect(await edit('one();', 'BAD;')).toHaveLength(isConfined ? 1 : 0);
    await toolbox!.close();
    await open('refusing', { trusted: false }, join(temp.directory, 'bin'));
    await call('read_file', { absolute_path: 'src/main.rs' });
    expect(await edit('BAD;', 'BAD; BAD;')).toEqual([]);
  });

  it('tells with a script what its calls broke, also in a session apart', async () => {
    await open('refusing', { apart: true, script: { enabled: true, thread: scriptThreadFromSource } });
    const code = `
      await tools.read_file({ absolute_path: 'src/main.rs' });
      await tools.edit({ file_path: 'src/main.rs', old_string: 'one();', new_string: 'two();' });
      await tools.edit({ file_path: 'src/main.rs', old_string: 'two();', new_string: 'two(BAD);' });`;
    expect(await call('script', { code })).toEqual([
      '1 new error after this change, says rust-analyzer 1.92.0:\nsrc/main.rs:2:9: cannot find value BAD in this scope (E0001)',
    ]);
  }, 30_000);

  it('checks no more than fifty files at once, and says so', async () => {
    const environment = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
    await open('refusing', { environment });
    await call('read_file', { absolute_path: 'src/main.rs' });
    const command = 'for n in {1..51}; do echo BAD > src/f$n.rs; done';
    expect(await call('run_shell_command', { command })).toEqual([
      'Not checked for new errors: 51 changed files, more than 50 at once. Run the check of the project itself.',
    ]);
    expect(await call('run_shell_command', { command: 'echo BAD > src/g.rs' })).toHaveLength(1);
  }, 30_000);

  it('ends at the memory limit of commands, and changes go on without it', async () => {
    await open('hungry', { sandbox: { memory: '300m' } });
    await call('read_file', { absolute_path: 'src/main.rs' });
    const languages = languagesOf({});
    let server: PooledServer | undefined;
    const file = temp.path('src/main.rs');
    await languages.ask(file, async (served) => void (server = served.server), signal);
    await expect.poll(() => server?.ended()).toMatch(/^stopped.* at the memory limit of 300 MB/);
    await edit('one();', 'BAD;');
    expect(temp.read('src/main.rs')).toContain('BAD;');
    await languages.stop();
  });

  it.each<[string, LanguageOptions, number]>([
    ['half a second', {}, 500],
    ['as long as the settings say', { waitMs: 40 }, 40],
  ])('that never answers about errors is waited for %s', async (_time, options, expected) => {
    const { scheduler, session } = await open('silent', { languages: { enabled: false } });
    const waited: number[] = [];
    const languages = languagesOf(options, waited);
    const write = { file_path: 'src/other.rs', content: 'BAD\n' };
    const [settled] = await scheduler.run([{ id: '1', name: 'write_file', arguments: write }], signal);
    const changes = session.recentChanges.get(settled!.changeSet!);
    expect(await languages.afterCall({ effects: [], changes: [changes!] }, signal)).toEqual({
      errors: [],
      notes: [],
    });
    expect(waited).toContain(expected);
    await languages.stop();
  });
});

/** The knowledge of servers over the rooms of the toolbox; `waited` gets every pause that is waited for. */
function languagesOf(options: LanguageOptions, waited: number[] = []) {
  const { host, state, commands, permission } = toolbox!;
  const clock: Clock = {
    ...host.clock,
    sleep(ms, until) {
      waited.push(ms);
      return host.clock.sleep(ms, until);
    },
  };
  return createLanguages({
    state,
    options,
    trusted: true,
    environment: { ...process.env, PATH: bin },
    host: { ...host, clock },
    objects: { read: async () => new Uint8Array() },
    openProcesses: commands.openLasting,
    sandbox: commands.sandbox,
    hiddenPaths: commands.shell.hiddenPaths,
    hidden: (path) => permission.hides(path),
    viewFolder: () => '',
  });
}
