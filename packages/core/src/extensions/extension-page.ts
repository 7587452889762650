import { relative } from 'node:path';
import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { secretsInEnvironment } from '@toolwright/machine/base/secrets/known-secrets.js';
import { terminalSafe, terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import { embeddedCommands } from '../pieces/commands/template.js';
import type { Hook } from '../pieces/hooks/hook.js';
import { describePieceProblem } from '../pieces/piece.js';
import { variablesOfServer } from './brought-servers.js';
import { formatNames, type UnusedPart } from './extension.js';
import { type ExtensionContents, hostsNamedIn } from './extension-contents.js';
import { describeSource, type ExtensionSource } from './source.js';

export interface PageOptions {
  source: ExtensionSource;
  files: readonly TreeFile[];
  digest: string;
  /** Names of it that others have already, in words. */
  collisions: readonly string[];
  sandbox: Pick<SandboxState, 'confined' | 'sentence'>;
}

const MOST_LINES = 200;
const LONGEST_LINE = 400;

/**
 * Everything that an extension brings, on one page: what it would run, whom it could reach, and what the model will be
 * told. The same extension gives the same page, so that two versions can be compared.
 */
export function extensionPage(contents: ExtensionContents, options: PageOptions): string {
  const { extension } = contents.read;
  const { files, digest, source } = options;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const title = [extension.name, extension.version].filter(Boolean).join(' ');
  return [
    `${title}, ${formatNames[extension.format]} (${extension.manifest})`,
    ...(extension.description ? [`  ${extension.description}`] : []),
    `  from ${terminalSafeLine(describeSource(source))}`,
    `  ${plural(files.length, 'file')}, ${formatBytes(bytes)}, sha256 ${digest.slice(0, 16)}`,
    ...whole('It would run:', runs(contents, options.sandbox)),
    ...whole('It could reach:', reaches(contents, files)),
    ...section('The model is told:', toldToModel(contents)),
    ...section('You get:', commandsOf(contents)),
    ...section('It takes these values from your environment:', values(contents)),
    ...section(
      'Not used here:',
      unusedParts(contents).map(({ what, why }) => `${what}: ${why}`),
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
function runs(
  { read, hooks, commands, tools, root }: ExtensionContents,
  sandbox: PageOptions['sandbox'],
): string[] {
  const { servers } = read.extension;
  // Without a sandbox hooks and tools stay off, and a server is started as it is.
  const off = `off here: ${sandbox.sentence}`;
  const confined = sandbox.confined ? 'in the sandbox' : off;
  return [
    ...hooks.map((hook) => hookLine(hook, sandbox.confined ? `${confined}, no network` : off)),
    ...Object.entries(servers)
      .filter(([, server]) => typeof server['command'] === 'string')
      .map(
        ([name, server]) =>
          `${serverLine(server)} (the MCP server ${name}, ${serverRights(server, sandbox)})`,
      ),
    ...tools.map(
      ({ name, words }) =>
        `${words.map((word) => withRoot(word, root)).join(' ')} (the tool ${name}, ${confined})`,
    ),
    ...embeddedIn(commands).map(
      ({ name, command }) => `${withRoot(command, root)} (in /${name}, by your rules, like any command)`,
    ),
  ];
}

function embeddedIn(commands: ExtensionContents['commands']): { name: string; command: string }[] {
  return commands.flatMap(({ name, template, isToml }) =>
    embeddedCommands(template, { isToml }).map((command) => ({ name, command })),
  );
}

function hookLine({ event, matcher, command, from, line, timeoutMs }: Hook, rights: string): string {
  const about = matcher === '' || matcher === '*' ? event : `${event} of ${matcher}`;
  return `${command} (hook ${about}, ${from.shown}:${line}, at most ${timeoutMs / 1_000} s, ${rights})`;
}

function serverRights({ network }: JsonObject, { confined, sentence }: PageOptions['sandbox']): string {
  if (!confined) return `${sentence}; it can do whatever you can`;
  return `in the sandbox, ${network === false ? 'no network' : 'with network'}`;
}

/** The command line of a server, the variables that it is given, and the folder where it starts. */
function serverLine({ command, args, env, cwd }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
  const set = Object.entries(isJsonObject(env) ? env : {}).map(([name, value]) =>
    variable(name, String(value)),
  );
  return [
    words,
    ...(set.length > 0 ? [`with ${set.join(' ')}`] : []),
    ...(typeof cwd === 'string' ? [`in ${cwd}`] : []),
  ].join(' ');
}

/** A secret is shown by its name; `$NAME` is none, but says where the value comes from. */
function variable(name: string, value: string): string {
  if (!value.includes('$') && secretsInEnvironment({ [name]: value }).length > 0) return `${name}=…`;
  return `${name}=${/^[\w@%+=:,./${}-]*$/.test(value) ? value : JSON.stringify(value)}`;
}

function withRoot(text: string, root: string): string {
  return text.replaceAll(root, `\${PLUGIN_ROOT}`);
}

function reaches({ read, tools, hooks, commands }: ExtensionContents, files: readonly TreeFile[]): string[] {
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
    ...tools.map(({ words }) => words.join(' ')),
    ...embeddedIn(commands).map(({ command }) => command),
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
  const described = extension.variables.map(
    ({ name, description, isRequired, separator, default: usual }) => {
      const need = isRequired ? ', needed' : usual ? `, otherwise ${usual}` : '';
      const several = separator === undefined ? '' : `, with ${separator} between several values`;
      return `$${name}: ${description || 'no description'}${need}${several}`;
    },
  );
  const known = new Set(extension.variables.map(({ name }) => name));
  const others = Object.entries(extension.servers).flatMap(([server, written]) =>
    variablesOfServer(isJsonObject(written) ? written : {})
      .filter((name) => !known.has(name))
      .map((name) => `$${name} (the MCP server ${server})`),
  );
  return [...described, ...others];
}

/** Parts of the manifest and keys of its pieces that mean nothing here. */
export function unusedParts({ read, skills, commands, root }: ExtensionContents): UnusedPart[] {
  const keys = (file: string, unused: readonly UnusedPart[] = []): UnusedPart[] =>
    unused.map(({ what, why }) => ({ what: `${what} of ${relative(root, file)}`, why }));
  return [
    ...read.unused,
    ...skills.flatMap(({ folder, unused }) => keys(`${folder}/SKILL.md`, unused)),
    ...commands.flatMap(({ file, unused }) => keys(file, unused)),
  ];
}

/** Paths are those inside of the extension: its folder has another name with each version. */
function problems({ problems: found, root }: ExtensionContents): string[] {
  return found.map((problem) =>
    describePieceProblem({ ...problem, file: relative(root, problem.file) || '.' }),
  );
}
