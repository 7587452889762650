import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Toolbox } from '@toolwright/core';
import { describeOrigin, showTool } from '@toolwright/core/front-end';
import type { MachineView, Provider } from '../../wire/wire.js';
import { NotFound } from '../sessions/session-index.js';

export function readTools({ registry }: Toolbox): NonNullable<MachineView['tools']> {
  return registry.all().map(({ tool, origin }) => {
    const { name, displayName, description } = tool;
    return { name, displayName, description, origin: describeOrigin(origin) };
  });
}

/** A tool as a provider gets it. */
export async function readTool(
  { registry }: Toolbox,
  { name, provider }: { name: string; provider: Provider },
): Promise<{ declaration: unknown; from: string }> {
  const found = registry.find(name);
  if (!found) throw new NotFound(`There is no tool ${name}.`);
  registry.load([found.tool.name]);
  const declaration = registry.getFunctionDeclarations().find((one) => one.name === found.tool.name);
  return { declaration: await showTool(declaration ?? {}, provider), from: describeOrigin(found.origin) };
}

const parts: Readonly<Record<string, string>> = {
  sessions: 'journals of sessions',
  objects: 'earlier versions of files, for undo',
  output: 'results too long for the model',
  stage: 'commands that run on a copy',
  apart: 'work apart that waits for a review',
  interrupted: 'files as they were before a command that was cut off',
  jobs: 'output of background commands',
  mcp: 'tools of MCP servers as you accepted them',
  cache: 'may be removed while nothing runs',
  log: 'the log',
  fleet: 'tasks of the fleet of this machine',
  live: 'doors of running sessions',
  locks: 'may be removed while nothing runs',
};

const MOST_COUNTED = 200_000;

/** The room that each part of the state folder takes. */
export async function readDisk(folder: string): Promise<NonNullable<MachineView['disk']>> {
  const rows = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    const size = entry.isDirectory()
      ? await measure(path, { left: MOST_COUNTED })
      : { bytes: (await stat(path)).size, files: 1 };
    rows.push({ name: entry.name, what: parts[entry.name] ?? '', ...size });
  }
  return rows.sort((left, right) => right.bytes - left.bytes);
}

async function measure(folder: string, budget: { left: number }): Promise<{ bytes: number; files: number }> {
  const total = { bytes: 0, files: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (budget.left-- <= 0) break;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const inside = await measure(path, budget);
      total.bytes += inside.bytes;
      total.files += inside.files;
    } else {
      total.bytes += (await stat(path).catch(() => ({ size: 0 }))).size;
      total.files += 1;
    }
  }
  return total;
}
