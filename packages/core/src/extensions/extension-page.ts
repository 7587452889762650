import { relative } from 'node:path';
import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafe, terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import { embeddedCommands } from '../pieces/commands/template.js';
import type { Hook } from '../pieces/hooks/hook.js';
import { describePieceProblem } from '../pieces/piece.js';
import { variablesOfServer } from './brought-servers.js';
import { formatNames } from './extension.js';
import { type ExtensionContents, hostsNamedIn } from './extension-contents.js';
import { describeSource, type ExtensionSource } from './source.js';

export interface PageOptions {
  source: ExtensionSource;
  files: readonly TreeFile[];
  digest: string;
  /** Names of it that others have already, in words. */
  collisions: readonly string[];
}

const MOST_LINES = 200;
const LONGEST_LINE = 400;

/**
 * Everything that an extension brings, on one page: what it would run, whom it could reach, and what the model will be
 * told. The same extension gives the same page, so that two versions can be compared.
 */
export function extensionPage(contents: ExtensionContents, options: PageOptions): string {
  const { extension, unused } = contents.read;
  const { files, digest, source } = options;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const title = [extension.name, extension.version].filter(Boolean).join(' ');
  return [
    `${title}, ${formatNames[extension.format]} (${extension.manifest})`,
    ...(extension.description ? [`  ${extension.description}`] : []),
    `  from ${terminalSafeLine(describeSource(source))}`,
    `  ${plural(files.length, 'file')}, ${formatBytes(bytes)}, sha256 ${digest.slice(0, 16)}`,
    ...whole('It would run:', runs(contents)),
    ...whole('It could reach:', reaches(contents, files)),
    ...section('The model is told:', toldToModel(contents)),
    ...section('You get:', commandsOf(contents)),
    ...section('It takes these values from your environment:', values(contents)),
    ...section(
      'Not used here:',
      unused.map(({ what, why }) => `${what}: ${why}`),
    ),
    ...section('Names that are taken already:', options.collisions),
    ...section('Off, because something is wrong:', problems(contents)),
  ].join('\n');
}

/** Shows a list in full: nothing of what an extension runs and reaches is left out. */
function whole(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${terminalSafeLine(line)}`)];
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${cut(terminalSafeLine(line))}`);
  const left = lines.length - shown.length;
  return [title, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])];
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

/** Every command line, each with when it runs and how confined. */
function runs({ read, hooks, commands, tools, root }: ExtensionContents): string[] {
  const { servers } = read.extension;
  return [
    ...hooks.map(hookLine),
    ...Object.entries(servers)
      .filter(([, server]) => typeof server['command'] === 'string')
      .map(([name, server]) => `${commandOf(server)} (the MCP server ${name}, in the sandbox, with network)`),
    ...tools.map(
      ({ name, words }) =>
        `${words.map((word) => withRoot(word, root)).join(' ')} (the tool ${name}, in the sandbox)`,
    ),
    ...commands.flatMap(({ name, template, isToml }) =>
      embeddedCommands(template, { isToml }).map(
        (command) => `${withRoot(command, root)} (in /${name}, by your rules, like any command)`,
      ),
    ),
  ];
}

function hookLine({ event, matcher, command, from, line, timeoutMs }: Hook): string {
  const about = matcher === '' || matcher === '*' ? event : `${event} of ${matcher}`;
  return `${command} (hook ${about}, ${from.shown}:${line}, at most ${timeoutMs / 1_000} s, in the sandbox, no network)`;
}

function withRoot(text: string, root: string): string {
  return text.replaceAll(root, `\${PLUGIN_ROOT}`);
}

function commandOf({ command, args }: JsonObject): string {
  return [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
}

function reaches({ read, tools, hooks }: ExtensionContents, files: readonly TreeFile[]): string[] {
  const addresses = Object.entries(read.extension.servers).flatMap(([name, { url, httpUrl }]) => {
    const address = httpUrl ?? url;
    return typeof address === 'string' ? [`${hostOf(address)} (the MCP server ${name})`] : [];
  });
  const ofTools = tools.flatMap(({ name, effects = [] }) =>
    effects.flatMap((effect) =>
      effect.kind === 'network' ? `${hostOf(effect.url)} (the tool ${name})` : [],
    ),
  );
  const lines = [
    ...hooks.map(({ command }) => command),
    ...Object.values(read.extension.servers).map(programText),
  ];
  const named = hostsNamedIn(files, lines).map((host) => `${host} (named in its programs)`);
  return [...addresses, ...ofTools, ...named];
}

/** Words and variables of a server that is a program. */
function programText({ command, args, env }: JsonObject): string {
  return JSON.stringify({ command, args, env });
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host || address : address;
}

function toldToModel({ read, root, skills, agents, tools, context }: ExtensionContents): string[] {
  const size = (text: string): string => formatBytes(Buffer.byteLength(text));
  return [
    ...skills.map(
      ({ name, description, body }) =>
        `skill ${name}: ${description} (${size(withRoot(body, root))} when it is loaded)`,
    ),
    ...agents.map(({ name, description }) => `agent ${name}: ${description}`),
    ...tools.map(({ name, description }) => `tool ${name}: ${description}`),
    ...Object.keys(read.extension.servers).map(
      (name) => `tools of the MCP server ${name}, as it declares them`,
    ),
    ...context.flatMap(({ path, text }) => [
      `${path}, ${size(text)}:`,
      ...terminalSafe(text)
        .trim()
        .split('\n')
        .map((line) => `  | ${line}`),
    ]),
    ...read.extension.excludeTools.map((name) => `nothing of the tool ${name}, which is taken away`),
  ];
}

function commandsOf({ commands, skills }: ExtensionContents): string[] {
  return [
    ...commands.map(({ name, description }) => `/${name}: ${description}`),
    ...skills
      .filter(({ isForUserOnly }) => isForUserOnly)
      .map(({ name }) => `/${name}, a skill for you alone`),
  ];
}

function values({ read: { extension } }: ExtensionContents): string[] {
  const described = extension.variables.map(({ name, description, isRequired, default: usual }) => {
    const need = isRequired ? ', needed' : usual ? `, otherwise ${usual}` : '';
    return `$${name}: ${description || 'no description'}${need}`;
  });
  const known = new Set(extension.variables.map(({ name }) => name));
  const others = Object.entries(extension.servers).flatMap(([server, written]) =>
    variablesOfServer(isJsonObject(written) ? written : {})
      .filter((name) => !known.has(name))
      .map((name) => `$${name} (the MCP server ${server})`),
  );
  return [...described, ...others];
}

/** Paths are those inside of the extension: its folder has another name with each version. */
function problems({ problems: found, root }: ExtensionContents): string[] {
  return found.map((problem) =>
    describePieceProblem({ ...problem, file: relative(root, problem.file) || '.' }),
  );
}
