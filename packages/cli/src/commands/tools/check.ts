import { join, resolve } from 'node:path';
import type { RegisteredTool, Toolbox } from '@toolwright/core';
import {
  describeOrigin,
  didYouMean,
  isJsonObject,
  judgedMcpTool,
  nearest,
  toolFileNamed,
} from '@toolwright/core/front-end';
import type { GradeOptions } from '@toolwright/core/testing';
import { UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { toolFolders } from '../../setup/own-tools.js';
import { loadSetup, openToolbox, type Setup } from '../../setup/runtime.js';
import { argsExample, argsOf } from './args-flag.js';
import { checkFile } from './check-file.js';
import { rememberClaim } from './remember-claim.js';
import { type PlacedReport, printReports, worstExitCode } from './report.js';

interface Check {
  setup: Setup;
  args: Arguments;
  /** A call to try, given on the command line. */
  call: Record<string, unknown> | undefined;
  signal: AbortSignal;
}

/** Judges a tool, whatever carries it, or all tools of an MCP server. */
export async function check(target: string | undefined, args: Arguments): Promise<number> {
  if (target === undefined)
    throw new UsageError(
      'tools check needs the name of a tool, the path of a tool file or manifest, or the name of an MCP server.',
    );
  const given: Check = {
    setup: await loadSetup(args),
    args,
    call: await callIn(args),
    signal: abortOnInterrupt(),
  };
  const reports = isPath(target) ? [await checkPath(target, given)] : await checkNamed(target, given);
  if (args.switches.has('json')) printJson({ v: 1, tools: reports }, 2);
  else printReports(reports);
  return worstExitCode(reports);
}

/** Naming a file vouches for it. */
function checkPath(target: string, { setup, call, signal }: Check): Promise<PlacedReport> {
  return checkFile(resolve(target), { stateFolder: setup.stateFolder, args: call, signal });
}

function isPath(target: string): boolean {
  return /[\\/]|\.(ts|js|mjs|json)$/.test(target);
}

async function callIn(args: Arguments): Promise<Record<string, unknown> | undefined> {
  const value = await argsOf(args);
  if (value === undefined || isJsonObject(value)) return value;
  throw new UsageError(`--args must be an object. ${argsExample}`);
}

async function checkNamed(target: string, given: Check): Promise<PlacedReport[]> {
  const { setup, args, signal } = given;
  const toolbox = await openToolbox(args, { front: 'tools check', servers: {} }, setup);
  try {
    const ofServer = await toolsOfServer(toolbox, target, signal);
    if (ofServer) return await inOrder(ofServer, (one) => checkHere(one, toolbox, given));
    const found = toolbox.registry.find(target);
    if (found && found.origin.kind !== 'file') return [await checkHere(found, toolbox, given)];
    // A file that can't be loaded has no tool, and its report says why.
    const folders = toolFolders(setup, args).map((folder) => folder.path);
    const path = found?.origin.kind === 'file' ? found.origin.path : toolFileNamed(target, folders);
    if (path === undefined) throw unknownTool(target, toolbox, setup);
    const vouched = toolFolders(setup, args).find((folder) => path.startsWith(folder.path))?.vouched;
    const { stateFolder } = setup;
    return [
      await checkFile(path, { stateFolder, args: given.call, name: found?.tool.name, vouched, signal }),
    ];
  } finally {
    await toolbox.close();
  }
}

async function toolsOfServer(
  { registry, mcp }: Toolbox,
  name: string,
  signal: AbortSignal,
): Promise<RegisteredTool[] | null> {
  if (!mcp?.find(name)) {
    if (!registry.find(name)) await mcp?.awaitAll(signal);
    return null;
  }
  await mcp.awaitAll(signal);
  const tools = registry.all().filter(({ origin }) => origin.kind === 'mcp' && origin.server === name);
  if (tools.length > 0) return tools;
  throw new UsageError(
    `The MCP server ${name} has no tool that is turned on. To see what it offers: toolwright mcp list`,
  );
}

/** Checks a tool in the workspace itself: it makes only a call that somebody wrote down. */
async function checkHere(
  { tool, origin }: RegisteredTool,
  toolbox: Toolbox,
  given: Check,
): Promise<PlacedReport> {
  const { findToolTest, gradeTool } = await import('@toolwright/core/testing');
  const places = toolFolders(given.setup, given.args).map(({ path }) => join(path, `${tool.name}.test.json`));
  const test = given.call ? { files: {}, calls: [{ args: given.call }] } : findToolTest(places)?.test;
  const howToTest = `Give a harmless call with --args, or write ${places.at(-1)}.`;
  const directory = { path: toolbox.host.workspace.directory, by: 'stamps' as const };
  const asWritten = origin.kind === 'mcp' ? definitionOf(origin, toolbox) : {};
  if (origin.kind === 'mcp' && test) await start(origin.server, toolbox, given.signal);
  const report = await gradeTool(tool, { test, directory, signal: given.signal, howToTest, ...asWritten });
  await rememberClaim(report, { toolbox, origin, wasRun: test !== undefined }, given.signal);
  return { ...report, from: describeOrigin(origin) };
}

/** Starts a server before calls are watched: what its start opens is not left behind by a call. A failure shows in the calls. */
async function start(server: string, { mcp }: Toolbox, signal: AbortSignal): Promise<void> {
  await mcp
    ?.find(server)
    ?.use(async () => undefined, signal)
    .catch(() => undefined);
}

/** An MCP tool is judged by what its server says of it, as `mcp doctor` does. */
function definitionOf(
  { server, bareName }: RegisteredTool['origin'] & { kind: 'mcp' },
  { mcp }: Toolbox,
): Pick<GradeOptions, 'definition' | 'claimsReadOnly'> {
  const found = mcp
    ?.find(server)
    ?.tools()
    .find(({ name }) => name === bareName);
  if (!found) return {};
  return { definition: judgedMcpTool(server, found), claimsReadOnly: found.hints.readOnly };
}

async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function unknownTool(target: string, { registry }: Toolbox, { trusted, trust }: Setup): UsageError {
  const file = Object.keys(trust.examination.fingerprint).find((name) =>
    name.startsWith(`.toolwright/tools/${target}.`),
  );
  if (file && !trusted)
    return new UsageError(
      `${file} is not used, because this folder is not trusted (toolwright trust). To check it all the same: toolwright tools check ${file}`,
    );
  const names = registry.all().map(({ tool }) => tool.name);
  const hint = didYouMean(nearest(target, names)) || 'toolwright tools list shows them.';
  return new UsageError(`There is no tool, MCP server or file ${target}. ${hint}`);
}
