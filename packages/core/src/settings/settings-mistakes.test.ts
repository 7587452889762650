import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { beforeEach, expect, it } from 'vitest';
import { loadSettings } from './load-settings.js';

let base: string;
let file: string;
beforeEach(() => {
  base = tempFolder();
  file = join(base, 'settings.json');
});

async function mistakesIn(text: string): Promise<string[]> {
  await writeFile(file, text);
  const options = {
    stateFolder: base,
    workspace: join(base, 'none'),
    systemFile: join(base, 'none'),
    trusted: false,
  };
  const error: unknown = await loadSettings({ ...options, environment: {} }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return [];
  expect(error).toBeInstanceOf(SettingsError);
  const lines = (error as Error).message.split('\n');
  if (lines.length > 1) expect(lines.shift()).toMatch(/^\d+ mistakes in the settings:$/);
  return lines.map((line) => line.replace(file, 'F'));
}

const table: [string, string[]][] = [
  ['{"permision": {}}', ['F:1:2: unknown key permision. Did you mean permissions?']],
  ['{"sandbox": {"mod": 1}}', ['F:1:14: unknown key sandbox.mod. Did you mean sandbox.mode?']],
  ['{"aprovalMode": "plan"}', ['F:1:2: unknown key aprovalMode. Did you mean approvalMode?']],
  [
    '{"approvalMode": "yollo"}',
    [
      'F:1:18: approvalMode: expected one of "plan", "default", "auto-edit", "yolo", got string "yollo". Did you mean "yolo"?',
    ],
  ],
  [
    '{"approvalMode": 3}',
    ['F:1:18: approvalMode: expected one of "plan", "default", "auto-edit", "yolo", got number 3.'],
  ],
  [
    '{"model": {"maxTurns": "5"}}',
    ['F:1:24: model.maxTurns: expected a whole number from 1 to 10000, got string "5".'],
  ],
  [
    '{"model": {"maxTurns": 0.5}}',
    ['F:1:24: model.maxTurns: expected a whole number from 1 to 10000, got number 0.5.'],
  ],
  ['{"model": {"apiKey": 12345678}}', ['F:1:22: model.apiKey: expected a string, got a number.']],
  [
    '{"model": {"baseUrl": "example.org"}}',
    ['F:1:23: model.baseUrl: expected an http or https address, got "example.org".'],
  ],
  ['{"model": null}', ['F:1:11: model: expected an object, got null.']],
  ['{"tools": []}', ['F:1:11: tools: expected an object, got a list.']],
  [
    '{"permissions": {"deny": {"a": 1}}}',
    ['F:1:26: permissions.deny: expected a list of strings, got an object.'],
  ],
  [
    '{"permissions": {"deny": ["glob", 5]}}',
    ['F:1:35: permissions.deny[1]: expected a string, got number 5.'],
  ],
  [
    '{"permissions": {"deny": ["shell(ls)"]}}',
    [
      'F:1:27: permissions.deny[0]: unknown verb shell in the rule "shell(ls)". Did you mean Shell? Verbs are Shell, Read, Edit, Fetch, Mcp, Outside, with capital letters as shown.',
    ],
  ],
  [
    '{"permissions": {"ask": ["Read( )"]}}',
    ['F:1:26: permissions.ask[0]: the rule "Read( )" has an empty pattern.'],
  ],
  [
    '{"permissions": {"ask": ["a b", "Edit"]}}',
    [
      'F:1:26: permissions.ask[0]: "a b" is not a rule. Write Verb(pattern), such as Edit(src/**), or the name of a tool.',
      'F:1:33: permissions.ask[1]: "Edit" is not a rule. Write Verb(pattern), such as Edit(src/**), or the name of a tool.',
    ],
  ],
  [
    '{"tools": {"toolCallCommand": " "}}',
    ['F:1:31: tools.toolCallCommand: expected a command, got an empty string.'],
  ],
  [
    '{"tools": {"toolCallCommand": []}}',
    ['F:1:31: tools.toolCallCommand: expected a command, got an empty list.'],
  ],
  [
    '{"context": {"fileName": "a/b.md"}}',
    ['F:1:26: context.fileName[0]: expected a file name without folders, got "a/b.md".'],
  ],
  [
    '{"mcpServers": {"a b": {"command": "x"}}}',
    ['F:1:17: mcpServers: expected a name of letters, digits, "_", "." and "-", at most 64, got "a b".'],
  ],
  [
    '{"mcpServers": {"a": {}}}',
    ['F:1:22: mcpServers.a needs "command" (a program to start), or "httpUrl" or "url" (an address).'],
  ],
  [
    '{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}',
    ['F:1:22: mcpServers.a has both "command" and "url"; give one of them.'],
  ],
  [
    '{"mcpServers": {"a": {"command": "x", "type": "http"}}}',
    ['F:1:22: mcpServers.a has a command, so its type can only be "stdio".'],
  ],
  [
    '{"mcpServers": {"a": {"command": "x", "arg": []}}}',
    ['F:1:39: unknown key mcpServers.a.arg. Did you mean mcpServers.a.args?'],
  ],
  [
    '{"mcpServers": {"a": {"url": "http://x", "headers": {"X": 1}}}}',
    ['F:1:59: mcpServers.a.headers.X: expected a string, got a number.'],
  ],
  [
    '{"model": {"name": "$NOT_SET"}}',
    [`F:1:20: model.name: the variable NOT_SET is not set. Set it, or write \${NOT_SET:-default}.`],
  ],
  [
    '{"ui": {"color": "never"},\n "ui": {"color": "auto"}}',
    ['F:2:2: ui is given twice; the first time in line 1.'],
  ],
  [
    '{"ui": {"color": "never", "color": "never"}}',
    ['F:1:27: ui.color is given twice; the first time in line 1.'],
  ],
  [
    '{"tools": {"toolCallCommand": "a"},\n "toolCallCommand": "b"}',
    [
      'F:2:2: toolCallCommand and tools.toolCallCommand (line 1) are the same setting with different values. Keep tools.toolCallCommand.',
    ],
  ],
  ['{"tools": {"toolCallCommand": "a"}, "toolCallCommand": "a"}', []],
  [
    '{"v": 2}',
    ['F:1:2: written for a newer Toolwright (format 2; this one reads up to 1). Update Toolwright.'],
  ],
  ['{"v": 1, "$schema": "https://x/settings.schema.json"}', []],
  ['[]', ['F:1:1: expected an object: settings are written between { and }.']],
  ['{"ui": {"color": never}}', ['F:1:18: this is no value (strings need double quotes).']],
  ['{\n  // fine\n  "ui": {"color": "never",},\n}', []],
];

it.each(table)('the settings %j have the mistakes %j', async (text, expected) => {
  expect(await mistakesIn(text)).toEqual(expected);
});

it('the reader of settings tells all mistakes of all files at once', async () => {
  const extra = join(base, 'extra.json');
  await writeFile(extra, '{"ui": {"color": "red"}}');
  await writeFile(
    file,
    '{\n  "approvalMode": 1,\n  "model": {"maxTurn": 5},\n  "permissions": {"allow": ["Read()"]}\n}',
  );
  const loading = loadSettings({
    stateFolder: base,
    workspace: join(base, 'none'),
    systemFile: join(base, 'none'),
    trusted: false,
    settingsFile: extra,
    flags: { '--sandbox': 'on' },
    environment: {},
  });
  const error = (await loading.catch((thrown: unknown) => thrown)) as Error;
  expect(error.message.split('\n').map((line) => line.replace(`${base}/`, ''))).toEqual([
    '4 mistakes in the settings:',
    'settings.json:2:19: approvalMode: expected one of "plan", "default", "auto-edit", "yolo", got number 1.',
    'settings.json:4:29: permissions.allow[0]: the rule "Read()" has an empty pattern.',
    'extra.json:1:18: ui.color: expected one of "auto", "always", "never", got string "red".',
    '--sandbox: sandbox.mode: expected one of "required", "auto", "off", got string "on".',
  ]);
});

it('the reader of settings tells a mistake in a flag from one in a file', async () => {
  const load = (flags: Record<string, string>): Promise<unknown> =>
    loadSettings({
      stateFolder: base,
      workspace: join(base, 'none'),
      systemFile: join(base, 'none'),
      trusted: false,
      flags,
      environment: {},
    }).catch((thrown: unknown) => thrown);
  const inFlag = { message: expect.stringMatching(/^--max-turns: .*got string "x"/), inFlags: true };
  expect(await load({ '--max-turns': 'x' })).toMatchObject(inFlag);
  await writeFile(file, '{"aprovalMode": "plan"}');
  expect(await load({ '--max-turns': 'x' })).toMatchObject({ inFlags: false });
  expect(await load({})).toMatchObject({ inFlags: false });
});

it('the reader of settings shows at most twenty mistakes', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `"zzzzzzzz${index}": 1`).join(',\n');
  const lines = await mistakesIn(`{"permissions": {${keys}}}`);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('… and 10 more.');
});

it('the reader of settings refuses a file nested without end or far too large', async () => {
  expect(await mistakesIn(`{"a":${'['.repeat(100_000)}`)).toEqual([
    'F:1:55: nested more than 50 levels deep.',
  ]);
  expect(await mistakesIn(`{"a": "${'x'.repeat(5_000_000)}"}`)).toEqual([
    'F is larger than 4096 KiB, too large for a file of settings.',
  ]);
});

it('the reader of settings reads no settings from a state folder of someone else', async () => {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) await chown(base, 12345, 12345);
  const stateFolder = isRoot ? base : '/usr';
  const loading = loadSettings({ stateFolder, workspace: base, trusted: false, environment: {} });
  await expect(loading).rejects.toThrow(/belongs to user/);
});

it.each([
  ['{"a\\nb": 1}', 'unknown key a␊b. Did you mean web? It is ignored.'],
  ['{"tools": {"exlude": []}}', 'unknown key tools.exlude. Did you mean tools.exclude? It is ignored.'],
  ['{"maxTurns": 5}', 'unknown key maxTurns. Did you mean model.maxTurns? It is ignored.'],
  [
    '{"ui": {"zzz": 5}}',
    'unknown key ui.zzz. Known here: color, theme, colors, notify, mouse, editor, vim, screenReader. It is ignored.',
  ],
])('an unknown key where no rights are decided is a warning: %s', async (text, warning) => {
  const base = tempFolder();
  await writeFile(join(base, 'settings.json'), text);
  const { warnings } = await loadSettings({
    stateFolder: base,
    workspace: join(base, 'none'),
    systemFile: join(base, 'none'),
    trusted: false,
    environment: {},
  });
  expect(warnings).toEqual([expect.stringContaining(warning)]);
});
