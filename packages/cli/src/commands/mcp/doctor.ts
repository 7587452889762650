import { type McpServerConfig, parseServer, type Toolbox } from '@toolwright/core';
import { mcpToolName, openFalseClaims } from '@toolwright/core/front-end';
import { type DoctorFinding, examineServer, type ServerExamination } from '@toolwright/doctor';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';
import { serversOf } from '../../setup/mcp-servers.js';
import { type Command, defineCommand } from '../command.js';
import { type Confinement, confinementFlags, takeConfinement } from './confinement-flags.js';
import { headersIn } from './pairs.js';
import { requireServer, withServers } from './servers.js';

const flags: readonly Flag[] = [
  { name: 'json', help: 'Print JSON.' },
  ...confinementFlags,
  { name: 'http', value: 'URL', help: 'Examine the server at this address, which is not in the settings.' },
  {
    name: 'header',
    value: 'NAME:VALUE',
    repeated: true,
    help: 'With --http: a header to send with every request.',
  },
];

/** Examines one server, for whoever writes it: from its start to its end, and what providers make of its tools. */
export const doctor: Command = (words) =>
  defineCommand({
    usage: `  toolwright mcp doctor NAME               a server of the settings
  toolwright mcp doctor -- COMMAND ARGS    a program that is not in the settings
  toolwright mcp doctor --http URL         an address that is not in the settings

Starts the server, lists its tools, checks them for every provider, calls what says that it only reads
and needs no arguments, makes a mistake, cancels a request, and ends it. Exit code 1: something needs fixing.`,
    flags,
    run: (args) => examineNamed(args, { isCommand: words.includes('--') }),
  })(words);

async function examineNamed(given: Arguments, { isCommand }: { isCommand: boolean }): Promise<number> {
  const { args, confinement } = takeConfinement(given);
  const adHoc = adHocServer(args, { isCommand, confinement });
  const [name, ...more] = args.words;
  if (!adHoc && (name === undefined || more.length > 0))
    throw new UsageError('mcp doctor needs one server: its name, or -- COMMAND ARGS, or --http URL.');
  const signal = abortOnInterrupt();
  return withServers(
    args,
    { name: 'mcp doctor', anyExecutable: true },
    async ({ setup, toolbox, catalogue }) => {
      const config = adHoc ?? withConfinement(requireServer(catalogue, name ?? '').config, confinement);
      // A server typed on the command line was meant to run here.
      const trusted = adHoc !== null || setup.trusted;
      const isOfProject = serversOf(setup, args).some(
        (each) => adHoc === null && each.config.alias === config.alias && each.place !== '',
      );
      const examination = await examine(config, { ...toolbox, trusted, isOfProject }, signal);
      if (!examination) return exitCodes.cancelled;
      if (!adHoc) await rememberClaims(examination, { ...toolbox, confinement }, signal);
      const isSick = examination.findings.some(({ level }) => level === 'problem');
      if (args.switches.has('json')) printJson({ v: 1, ok: !isSick, ...examination }, 2);
      else print(report(examination));
      return isSick ? exitCodes.failure : exitCodes.done;
    },
  );
}

/** A server of the settings, tried otherwise than they say. */
function withConfinement(config: McpServerConfig, confinement: Confinement): McpServerConfig {
  const { endpoint } = config;
  if (endpoint.kind !== 'stdio') return config;
  const { sandbox = endpoint.sandbox, network = endpoint.network } = confinement;
  return { ...config, endpoint: { ...endpoint, sandbox, network } };
}

/** Null when the user interrupted it. */
async function examine(
  config: McpServerConfig,
  toolbox: Toolbox & { trusted: boolean; isOfProject: boolean },
  signal: AbortSignal,
): Promise<ServerExamination | null> {
  const onSignIn = async ({ url }: { url: string }): Promise<void> => {
    warn(`To sign in, open ${url}`);
  };
  try {
    return await examineServer(config, { ...toolbox, environment: process.env, onSignIn }, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** A server of the settings is called again, and then the question tells what its tools were seen to do. */
async function rememberClaims(
  { server, findings }: ServerExamination,
  { state, host, confinement }: Pick<Toolbox, 'state' | 'host'> & { confinement: Confinement },
  signal: AbortSignal,
): Promise<void> {
  const claims = openFalseClaims(state);
  // Confined otherwise than the settings say, a server may only have been kept from changing anything.
  const isAsSet = Object.values(confinement).every((chosen) => chosen === undefined);
  for (const { falseClaim, trueClaim } of findings) {
    const bareName = falseClaim?.tool ?? (isAsSet ? trueClaim : undefined);
    if (bareName === undefined) continue;
    const tool = mcpToolName(server, bareName);
    const origin = { kind: 'mcp', server, bareName } as const;
    if (falseClaim) {
      const changed = falseClaim.changed.map(host.workspace.show);
      await claims.remember({ tool, changed, seenAt: host.clock.now() }, origin, signal);
    } else if ((await claims.of(tool, origin)) !== null) await claims.forget(tool, origin, signal);
  }
}

function adHocServer(
  { values, lists, words: given }: Arguments,
  { isCommand, confinement }: { isCommand: boolean; confinement: Confinement },
): McpServerConfig | null {
  const url = values.get('http');
  if (url === undefined && lists.has('header')) throw new UsageError('--header belongs to --http.');
  if (url === undefined && !isCommand) return null;
  if (url !== undefined && given.length > 0)
    throw new UsageError('mcp doctor examines one server: give a name, or -- COMMAND ARGS, or --http URL.');
  const [command, ...args] = given;
  if (url === undefined && command === undefined) throw new UsageError('There is no command after --.');
  const server =
    url === undefined ? { command, args, ...confinement } : { httpUrl: url, headers: headersIn(lists) };
  return parseServer('server', server, 'the command line');
}

const marks: Record<DoctorFinding['level'], string> = {
  ok: 'ok',
  note: 'note',
  warning: 'warn',
  problem: 'FAIL',
};

function report({ server, name, version, findings, stderr }: ServerExamination): string {
  const title = name === '' ? server : `${server}: ${name} ${version}`;
  const lines = findings.flatMap(({ stage, level, what, advice }) => [
    `${marks[level].padEnd(5)} ${stage.padEnd(13)} ${what.replaceAll('\n', `\n${' '.repeat(20)}`)}`,
    ...(advice ? [`${' '.repeat(20)}→ ${advice}`] : []),
  ]);
  const said = stderr.trimEnd().split('\n').slice(-10);
  const stderrLines =
    stderr.trim() === '' ? [] : ['', 'The end of its standard error:', ...said.map((line) => `  ${line}`)];
  const count = (level: DoctorFinding['level']): number =>
    findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const verdict =
    problems === 0 && warnings === 0
      ? 'Nothing to fix.'
      : `To fix: ${problems}. Could be better: ${warnings}.`;
  return [title, '', ...lines, ...stderrLines, '', verdict].join('\n');
}
