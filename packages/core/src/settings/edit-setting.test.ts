import { lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState, type State } from '@toolwright/machine/host/state/state.js';
import { beforeEach, expect, it } from 'vitest';
import { editSetting } from './edit-setting.js';

let base: string;
let file: string;
let state: State;
beforeEach(() => {
  base = tempFolder();
  file = join(base, 'state/settings.json');
  state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
});

const edit = (path: string[], value: unknown) =>
  editSetting({ file, path, value }, state, new AbortController().signal);
const text = () => readFile(file, 'utf8');

async function given(content: string): Promise<void> {
  await mkdir(join(base, 'state'), { recursive: true });
  await writeFile(file, content, { mode: 0o640 });
}

it('the editor of settings makes the file with its first setting, for the owner only', async () => {
  await edit(['approvalMode'], 'plan');
  expect(await text()).toBe('{\n  "approvalMode": "plan"\n}\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it.each([
  ['// mine\n', ['ui', 'color'], 'never', '// mine\n{\n  "ui": {\n    "color": "never"\n  }\n}\n'],
  [
    '{\n  // keep this\n  "approvalMode": "plan", /* and this */\n  "ui": { "color": "auto" }, // last\n}\n',
    ['approvalMode'],
    'default',
    '{\n  // keep this\n  "approvalMode": "default", /* and this */\n  "ui": { "color": "auto" }, // last\n}\n',
  ],
  [
    '{\r\n\t"mcpServers": {\r\n\t\t// first\r\n\t\t"a": {\r\n\t\t\t"command": "a"\r\n\t\t}\r\n\t}\r\n}',
    ['mcpServers', 'b'],
    { command: 'b' },
    '{\r\n\t"mcpServers": {\r\n\t\t// first\r\n\t\t"a": {\r\n\t\t\t"command": "a"\r\n\t\t},\r\n\t\t"b": {\r\n\t\t\t"command": "b"\r\n\t\t}\r\n\t}\r\n}',
  ],
  [
    '{\n  "mcpServers": {\n    "a": {}, // gone\n    // stays\n    "b": {}\n  }\n}',
    ['mcpServers', 'a'],
    undefined,
    '{\n  "mcpServers": {\n    // gone\n    // stays\n    "b": {}\n  }\n}',
  ],
  ['{"toolCallCommand": "old"}', ['tools', 'toolCallCommand'], 'new', '{"toolCallCommand": "new"}'],
  [
    '\uFEFF{"model": {"name": "a"}}',
    ['model', 'name'],
    '$NOT_SET_HERE',
    '\uFEFF{"model": {"name": "$NOT_SET_HERE"}}',
  ],
])('the editor of settings changes nothing else in %j', async (before, path, value, after) => {
  await given(before);
  await edit(path, value);
  expect(await text()).toBe(after);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

it('the editor of settings leaves the file alone when there is nothing to remove', async () => {
  await edit(['approvalMode'], undefined);
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
  await given('{"ui": {}}');
  await edit(['mcpServers', 'none'], undefined);
  expect(await text()).toBe('{"ui": {}}');
});

it.each([
  [['aprovalMode'], 'plan', 'unknown key aprovalMode. Did you mean approvalMode?'],
  [['approvalMode'], 'often', 'approvalMode: expected one of'],
  [['mcpServers', 'a'], {}, 'mcpServers.a needs "command"'],
  [['mcpServers', 'a', 'command'], 'x', 'mcpServers.a.command is not a setting of its own.'],
  [['permissions', 'deny'], ['shell(x)'], 'Did you mean Shell?'],
])('the editor of settings refuses to write %j as %j', async (path, value, message) => {
  await expect(edit(path, value)).rejects.toThrow(message);
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
});

it('never touches a file it can not read', async () => {
  await given('{"ui": {"color": }\n');
  await expect(edit(['approvalMode'], 'plan')).rejects.toThrow(`${file}:1:18: expected a value.`);
  expect(await text()).toBe('{"ui": {"color": }\n');
});

it('the editor of settings keeps a link that leads to the real file', async () => {
  await given('{}');
  await symlink(file, join(base, 'link.json'));
  await editSetting(
    { file: join(base, 'link.json'), path: ['approvalMode'], value: 'plan' },
    state,
    new AbortController().signal,
  );
  expect((await lstat(join(base, 'link.json'))).isSymbolicLink()).toBe(true);
  expect(JSON.parse(await text())).toEqual({ approvalMode: 'plan' });
});

it('the editor of settings loses none of many changes at once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `server-${index}`);
  await Promise.all(names.map((name) => edit(['mcpServers', name], { command: name })));
  expect(Object.keys(JSON.parse(await text()).mcpServers).sort()).toEqual(names.sort());
});

it('the editor of settings says what to do about a folder in the place of the file', async () => {
  await mkdir(file, { recursive: true });
  await expect(edit(['approvalMode'], 'plan')).rejects.toThrow(
    /is a folder, so nothing was written.*end the job/,
  );
});
