import { formatNumber } from '@toolwright/machine/base/amounts.js';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import type { JsonEntry, JsonNode } from '@toolwright/machine/base/configuration/plain-json.js';
import { withProjectFolder } from '@toolwright/machine/host/run-code/project-folder.js';

/** Something a project's settings would start or reach, as written there. Untrusted text. */
export interface SettingsCommand {
  /** File it stands in, relative to the project. */
  file: string;
  line: number;
  /** The setting, such as `tools.toolDiscoveryCommand` or `mcpServers.github`. */
  setting: string;
  /** The command line with the variables that are set for it, or the address with its headers. */
  runs: string;
}

export interface NamedByFile {
  commands: SettingsCommand[];
  /** Words that may name files of the project, relative to the folder they are used in. */
  words: { word: string; directory: string }[];
  /** There is more than can be shown, or looked at. */
  isTooMuch: boolean;
}

/** Sections whose strings never run: paths there would ask again about files that are only read. */
const inert = new Set(['permissions', 'context', 'ignore']);
const MAX_WORDS = 2_000;
const MAX_COMMANDS = 200;
const MAX_SHOWN = 500;

/** Files that programs read to find out what to run. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  bunx: ['package.json'],
  deno: ['deno.json', 'deno.jsonc'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  cargo: ['Cargo.toml', 'build.rs'],
  uv: ['pyproject.toml'],
  uvx: ['pyproject.toml'],
  poetry: ['pyproject.toml'],
};

/** Commands that a settings file would run; of the files of other agents only a section counts. A file that can't be parsed runs nothing: loading refuses it. */
export async function namedIn(file: string, text: string, section?: string): Promise<NamedByFile> {
  const parsed = await parseJsonc(text);
  const result: NamedByFile = { commands: [], words: [], isTooMuch: false };
  if (!parsed.ok || parsed.root.type !== 'object') return result;
  for (const entry of parsed.root.entries) {
    const counts = section === undefined ? !inert.has(entry.name) : entry.name === section;
    if (counts) visit(entry, [], { file, result, directory: '.', beside: '' });
  }
  const isTooMuch = result.words.length > MAX_WORDS || result.commands.length > MAX_COMMANDS;
  return { ...result, isTooMuch };
}

interface Visit {
  file: string;
  result: NamedByFile;
  directory: string;
  /** Variables of a command, or headers of an address: variables can make any program run other code. */
  beside: string;
}

function visit(entry: JsonEntry, parents: readonly string[], state: Visit): void {
  const { name, value, at } = entry;
  const path = [...parents, name];
  for (const text of stringsIn(value)) addWords(text, state);
  const line = commandLine(value);
  if (line !== null && isCommandName(name)) {
    const isServer = name === 'command' || /url$/i.test(name);
    const setting = (isServer && parents.length > 0 ? parents : path).join('.');
    const runs = isServer ? line + state.beside : line;
    state.result.commands.push({ file: state.file, line: at.line, setting, runs });
  }
  // Hooks stand in lists; words of a command do not.
  if (value.type === 'array')
    for (const item of value.items)
      if (item.type === 'object') for (const child of item.entries) visit(child, path, state);
  if (value.type !== 'object') return;
  const directory = textOf(value, 'cwd') ?? state.directory;
  const named = (key: string) => lastNamed(value, key);
  const args = named('args');
  const beside = ['env', 'headers'].map((key) => valuesIn(named(key)?.value)).join('') + rightsIn(value);
  for (const child of value.entries) {
    const isStart = child.name === 'command' && args !== undefined;
    visit(isStart ? withArguments(child, args) : child, path, { ...state, directory, beside });
  }
}

function isCommandName(name: string): boolean {
  return /^(command|url|httpUrl)$|Command$/.test(name);
}

function withArguments(command: JsonEntry, args: JsonEntry): JsonEntry {
  const items = [command.value, ...(args.value.type === 'array' ? args.value.items : [args.value])];
  return { ...command, value: { type: 'array', items, at: command.at } };
}

function valuesIn(node: JsonNode | undefined): string {
  if (node?.type !== 'object' || node.entries.length === 0) return '';
  const set = node.entries.map(({ name, value }) => `${name}=${quoted(textIn(value))}`);
  return ` with ${clip(set.join(' '))}`;
}

/** Words for the rights of a server beyond reading the workspace. */
function rightsIn(node: JsonNode & { type: 'object' }): string {
  const sandbox = textOf(node, 'sandbox');
  if (sandbox === 'off') return ', OUTSIDE THE SANDBOX: it can do whatever you can';
  const network = lastNamed(node, 'network')?.value;
  const rights = [
    ...(sandbox === 'write' ? ['may change the files of this folder'] : []),
    ...(network?.type === 'boolean' && network.value ? ['reaches the network'] : []),
  ];
  return rights.length === 0 ? '' : `, ${rights.join(' and ')}`;
}

function textIn(node: JsonNode): string {
  return node.type === 'string' ? node.value : '?';
}

function commandLine(node: JsonNode): string | null {
  if (node.type === 'string') return clip(node.value);
  if (node.type !== 'array') return null;
  return clip(node.items.map((item) => quoted(textIn(item))).join(' '));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function clip(text: string): string {
  const hidden = text.length - MAX_SHOWN;
  return hidden <= 0 ? text : `${text.slice(0, MAX_SHOWN)}… (${formatNumber(hidden)} more characters)`;
}

function textOf(node: JsonNode & { type: 'object' }, name: string): string | undefined {
  const value = lastNamed(node, name)?.value;
  return value?.type === 'string' ? value.value : undefined;
}

/** The last of several equal keys counts, as when the file is used. */
function lastNamed(node: JsonNode & { type: 'object' }, name: string): JsonEntry | undefined {
  return node.entries.findLast((entry) => entry.name === name);
}

/** Strings of the value itself; those of objects inside it are met when they are visited. */
function stringsIn(node: JsonNode): string[] {
  if (node.type === 'string') return [node.value];
  return node.type === 'array' ? node.items.flatMap(stringsIn) : [];
}

function addWords(written: string, { result, directory }: Visit): void {
  const text = withProjectFolder(written, '.');
  const words = [text, ...text.split(/[\s'"`;&|()<>]+/)].flatMap((word) => [
    word,
    ...word.split('=').slice(1),
  ]);
  for (const word of words) {
    if (word === '' || word.length > 4096 || word.includes('\0')) continue;
    result.words.push({ word, directory });
    const program = word.split('/').at(-1) ?? '';
    const files = Object.hasOwn(recipes, program) ? (recipes[program] ?? []) : [];
    for (const recipe of files) result.words.push({ word: recipe, directory });
  }
}
