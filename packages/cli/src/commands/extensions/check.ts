import { resolve } from 'node:path';
import { parseServer } from '@toolwright/core';
import {
  broughtServers,
  describePieceProblem,
  type ExtensionContents,
  type ExtensionFinding,
  extensionAspects,
  extensionRoot,
  findingsOf,
  formatNames,
  installedExtensions,
  readContents,
  readExtension,
  requireInstalled,
  usableHome,
} from '@toolwright/core/front-end';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { isOfProject } from '../../setup/extensions.js';
import { loadSetup, withToolbox } from '../../setup/runtime.js';
import { checkFile } from '../tools/check-file.js';
import { type PlacedReport, printReports, worstExitCode } from '../tools/report.js';
import { openExtensionState } from './state.js';

/** Grades an extension of any format as tools are graded. */
export async function check(target: string, args: Arguments): Promise<number> {
  const root = await rootOf(target);
  const reports = await reportsAbout(root, args);
  if (args.switches.has('json')) printJson({ v: 1, reports }, 2);
  else printReports(reports, 'parts');
  return worstExitCode(reports);
}

async function rootOf(target: string): Promise<string> {
  if (/[\\/.]/.test(target)) return resolve(target);
  const state = openExtensionState();
  const installed = await installedExtensions(state);
  const isInstalled = installed.some(({ extension }) => extension.name === target);
  if (!isInstalled && !('problem' in (await readExtension(resolve(target))))) return resolve(target);
  return extensionRoot(state, await requireInstalled(target, state));
}

export async function reportsAbout(root: string, args: Arguments): Promise<PlacedReport[]> {
  const signal = abortOnInterrupt();
  const read = await readExtension(root);
  if ('problem' in read) return [broken(root, describePieceProblem(read))];
  const contents = await readContents(read, root, signal);
  const report = reportOf(contents);
  if (!args.switches.has('run')) return [report];
  const { stateFolder } = await loadSetup(args);
  const tools: PlacedReport[] = [];
  for (const { file, name } of contents.tools)
    tools.push(await checkFile(file, { stateFolder, name, signal }));
  return [report, ...tools, ...(await examined(contents, args, signal))];
}

function broken(root: string, message: string): PlacedReport {
  return {
    name: root,
    from: root,
    grade: 'F',
    aspects: [],
    findings: [{ check: 'manifest', level: 'error', message }],
  };
}

function reportOf(contents: ExtensionContents): PlacedReport {
  const { extension } = contents.read;
  const findings = findingsOf(contents);
  const there = extensionAspects.filter(
    (aspect) =>
      aspect === 'manifest' || hasAny(contents, aspect) || findings.some(({ check: of }) => of === aspect),
  );
  return {
    name: extension.name,
    from: `${contents.root}, ${formatNames[extension.format]}`,
    grade: gradeOf(findings),
    aspects: there.map((aspect) => ({
      aspect,
      state: stateOf(findings.filter(({ check: of }) => of === aspect)),
    })),
    findings,
  };
}

function hasAny(
  contents: ExtensionContents,
  aspect: Exclude<(typeof extensionAspects)[number], 'manifest'>,
): boolean {
  return aspect === 'servers'
    ? Object.keys(contents.read.extension.servers).length > 0
    : contents[aspect].length > 0;
}

function stateOf(findings: readonly ExtensionFinding[]): 'ok' | 'improve' | 'mend' {
  if (findings.some(({ level }) => level === 'error')) return 'mend';
  return findings.some(({ level }) => level === 'warning') ? 'improve' : 'ok';
}

function gradeOf(findings: readonly ExtensionFinding[]): PlacedReport['grade'] {
  return { ok: 'A', improve: 'B', mend: 'F' }[stateOf(findings)] as PlacedReport['grade'];
}

/** Each server is started in the sandbox and asked for everything, as `mcp doctor` does. */
async function examined(
  contents: ExtensionContents,
  args: Arguments,
  signal: AbortSignal,
): Promise<PlacedReport[]> {
  const { extension } = contents.read;
  if (Object.keys(extension.servers).length === 0) return [];
  const { examineServer } = await import('@toolwright/doctor');
  return withToolbox(args, { front: 'extensions check' }, async (toolbox, setup) => {
    const places = {
      root: contents.root,
      workspace: setup.workspace,
      home: usableHome(process.env) ?? '/',
      environment: process.env,
    };
    const ofProject = isOfProject(contents.root, setup);
    const needs = { ...toolbox, environment: process.env, trusted: true, isOfProject: ofProject };
    const reports: PlacedReport[] = [];
    for (const brought of broughtServers(extension, places)) {
      const { name } = brought;
      const from = `the extension ${extension.name}`;
      if ('problem' in brought) {
        const message = `The MCP server ${name} can't start: ${brought.problem}.`;
        reports.push({ ...broken(contents.root, message), name, from });
        continue;
      }
      const config = parseServer(name, brought.server, from, { ofProject, extensionRoot: contents.root });
      const { findings } = await examineServer(config, needs, signal);
      const told = findings
        .filter(({ level }) => level !== 'ok')
        .map(({ stage, level, what, advice }): ExtensionFinding & { check: never } => ({
          check: stage as never,
          level: level === 'problem' ? 'error' : level === 'warning' ? 'warning' : 'note',
          message: advice ? `${what}\n${advice}` : what,
        }));
      const stages = [...new Set(findings.map(({ stage }) => stage))];
      const aspects = stages.map((stage) => ({
        aspect: stage,
        state: stateOf(told.filter(({ check: of }) => of === stage)),
      }));
      reports.push({ name: `MCP server ${name}`, from, grade: gradeOf(told), aspects, findings: told });
    }
    return reports;
  });
}
