import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../../create-toolbox.js';
import type { ToolboxOptions } from '../../options/toolbox-options.js';
import { SessionResources } from './session-resources.js';

const never = new AbortController().signal;

async function open(options: Partial<ToolboxOptions> = {}) {
  const temp = createTempWorkspace({ content: { 'a.txt': 'alpha\n' } });
  const stateFolder = join(temp.outside, 'state');
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder,
    approvalMode: 'yolo',
    ...options,
  });
  const { session, permission, host, redactor } = toolbox;
  const show = (path: string): string => host.workspace.show(path);
  const resources = new SessionResources({ session, permission, clean: redactor.known, show });
  return { toolbox, resources, close: () => toolbox.close().then(() => temp.cleanup()) };
}

async function write({ scheduler }: Toolbox, path: string, content: string): Promise<string> {
  const call = { id: '', name: 'write_file', arguments: { file_path: path, content } };
  const [settled] = await scheduler.run([call], never);
  return settled?.changeSet ?? '';
}

async function textOf({ resources }: Awaited<ReturnType<typeof open>>, uri: string): Promise<string> {
  const [content] = (await resources.read(uri, never)) ?? [];
  return content && 'text' in content ? content.text : '';
}

it('a session without calls can be listed and read', async () => {
  const bench = await open();
  const { id } = bench.toolbox.session;
  expect((await bench.resources.list(never)).map(({ uri }) => uri)).toEqual([`toolwright://sessions/${id}`]);
  expect(await bench.resources.read(`toolwright://sessions/${id}`, never)).toHaveLength(1);
  await bench.close();
});

it('the session and its change sets can be read, completed and are told of', async () => {
  const bench = await open();
  const { toolbox, resources } = bench;
  const heard: (string | null)[] = [];
  resources.onChange?.((uri) => heard.push(uri));
  const changeSet = await write(toolbox, 'a.txt', 'beta\n');
  resources.callSettled({ changeSet });
  const session = `toolwright://sessions/${toolbox.session.id}`;
  expect((await resources.list(never)).map(({ uri }) => uri)).toEqual([
    session,
    `toolwright://changes/${changeSet}`,
  ]);
  expect(await textOf(bench, session)).toContain('write_file');
  const text = await textOf(bench, `toolwright://changes/${changeSet}`);
  expect(text).toContain('modify a.txt');
  expect(text).toContain('-alpha\n+beta');
  expect(await resources.complete?.('toolwright://changes/{id}', 'id', changeSet.slice(0, 4))).toEqual([
    changeSet,
  ]);
  expect(heard).toEqual([session, null]);
  await bench.close();
});

it('nothing of other sessions is there, nor what a name with dots or slashes could reach', async () => {
  const bench = await open();
  for (const uri of [
    'toolwright://sessions/other',
    'toolwright://changes/',
    'toolwright://changes/../../grants.json',
    'file:///etc/passwd',
  ])
    expect(await bench.resources.read(uri, never), uri).toBeNull();
  await bench.close();
});

it('a change to a file that may not be read is counted, and neither named nor shown', async () => {
  const bench = await open();
  const changeSet = await write(bench.toolbox, 'private.txt', 'hidden words\n');
  const { session, redactor } = bench.toolbox;
  const resources = new SessionResources({
    session,
    permission: { refusal: () => 'a rule denies it' },
    clean: redactor.known,
    show: (path) => path,
  });
  const [content] = (await resources.read(`toolwright://changes/${changeSet}`, never)) ?? [];
  const text = content && 'text' in content ? content.text : '';
  expect(text).toContain('1 file that may not be read');
  expect(text).not.toContain('private.txt');
  expect(text).not.toContain('hidden words');
  await bench.close();
});

it('known secrets are taken out, and a long text keeps its end', async () => {
  const bench = await open({ secrets: ['s3cr3t-of-the-user'] });
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a long file`);
  const changeSet = await write(bench.toolbox, 'a.txt', `s3cr3t-of-the-user\n${lines.join('\n')}\n`);
  const text = await textOf(bench, `toolwright://changes/${changeSet}`);
  expect(text).not.toContain('s3cr3t-of-the-user');
  expect(Buffer.byteLength(text)).toBeLessThan(270_000);
  await bench.close();
});
