import { basename, dirname, extname, join } from 'node:path';
import { createToolbox, type RegisteredTool, type Toolbox, type ToolFolder } from '@toolwright/core';
import { messageOf } from '@toolwright/core/front-end';
import type { ToolTest } from '@toolwright/core/testing';
import { toolThread } from '../../setup/own-tools.js';
import { rememberClaim } from './remember-claim.js';
import type { PlacedReport } from './report.js';

export interface CheckFileOptions {
  stateFolder: string;
  signal: AbortSignal;
  /** A call to try in place of the test. */
  args?: Record<string, unknown> | undefined;
  /** The tool of the file that is meant; default: the first one. */
  name?: string | undefined;
  vouched?: ToolFolder['vouched'];
}

/** Checks a tool file or a manifest in a folder made for it, so that a call can do no harm to the workspace. */
export async function checkFile(path: string, options: CheckFileOptions): Promise<PlacedReport> {
  const { createTempWorkspace, gradeTool } = await import('@toolwright/core/testing');
  const from = `the tool file ${path}`;
  const name = options.name ?? basename(path, extname(path));
  let test: ToolTest | undefined;
  try {
    test = await testOf(path, options);
  } catch (error) {
    return broken({ name, from, check: 'test', message: messageOf(error) });
  }
  const scratch = createTempWorkspace({ content: test?.files ?? {} });
  const { stateFolder, vouched, signal } = options;
  const folder: ToolFolder = { path: dirname(path), only: basename(path), vouched };
  const toolbox = await createToolbox({
    workspace: scratch.directory,
    stateFolder,
    front: 'tools check',
    ownTools: { folders: [folder], thread: toolThread },
  });
  try {
    const found = toolIn(toolbox, path, options.name);
    if (!found) return broken({ name, from, check: 'loading', message: problemOf(toolbox, path) });
    const howToTest = `Write ${testPath(path)} (toolwright tools new shows one), or give --args.`;
    const report = await gradeTool(found.tool, {
      test,
      directory: scratch.directory,
      signal,
      howToTest,
      strayErrors: () => strayErrors(toolbox, signal),
    });
    const claim = { toolbox, origin: found.origin, wasRun: test !== undefined };
    await rememberClaim(report, claim, signal);
    return { ...report, from };
  } finally {
    await toolbox.close();
    await scratch.cleanup();
  }
}

const STRAY = / \(thrown outside a call, where nobody waits for it\)$/;

/** The thread of a tool file tells what it threw outside a call when its folder is looked at again. */
async function strayErrors({ ownTools }: Toolbox, signal: AbortSignal): Promise<string[]> {
  const problems = (await ownTools?.refresh(signal)) ?? [];
  return problems
    .filter((problem) => STRAY.test(problem))
    .map((problem) => problem.replace(STRAY, '').replace(/^The folder [^\n]*?: /, ''));
}

function testPath(path: string): string {
  return join(dirname(path), `${basename(path, extname(path))}.test.json`);
}

async function testOf(path: string, { args }: CheckFileOptions): Promise<ToolTest | undefined> {
  if (args) return { files: {}, calls: [{ args }] };
  const { findToolTest } = await import('@toolwright/core/testing');
  return findToolTest([testPath(path)])?.test;
}

function toolIn({ registry }: Toolbox, path: string, name: string | undefined): RegisteredTool | undefined {
  return registry
    .all()
    .find(
      ({ tool, origin }) =>
        origin.kind === 'file' && origin.path === path && (name ?? tool.name) === tool.name,
    );
}

function problemOf({ notices }: Toolbox, path: string): string {
  const about = notices.find((notice) => notice.includes(path)) ?? notices[0];
  return about?.replace(/^The folder [^\n]*?: /, '') ?? `There is no file ${path}.`;
}

function broken(what: { name: string; from: string; check: string; message: string }): PlacedReport {
  const { name, from, check, message } = what;
  return { name, from, grade: 'F', aspects: [], findings: [{ check, level: 'error', message }] };
}
