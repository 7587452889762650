import { join } from 'node:path';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { editJsonc } from '@toolwright/machine/base/configuration/jsonc-edit.js';
import { plainValue } from '@toolwright/machine/base/configuration/plain-json.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { leaveFiles } from './carried-files.js';
import { withHooks } from './carry-hooks.js';
import type { CarriedFile, HomeFindings, OtherAgent, ReadHomeNeeds } from './findings.js';
import { noteHereAlready } from './here-already.js';

/** Reads the home of another agent: what can come over, what can't, and why. */
export async function readHome(
  agent: OtherAgent,
  { home, environment, signal }: ReadHomeNeeds,
): Promise<HomeFindings> {
  const { HomeFindings: Findings } = await import('./findings.js');
  const found = new Findings(agent);
  if (agent === 'claude') await (await import('./homes/claude.js')).readClaudeHome(home, found);
  else if (agent === 'codex')
    await (await import('./homes/codex.js')).readCodexHome({ home, found, environment, signal });
  else
    await (await import('./homes/terminal-agents.js')).readTerminalAgent(agent, {
      home,
      found,
      environment,
      signal,
    });
  return found;
}

export interface PlanImportNeeds {
  stateFolder: string;
  id: string;
}

/** Plans the changes to the state folder. Whatever the user has already stays, and is told as the reason. */
export async function planImport(
  all: readonly HomeFindings[],
  { stateFolder, id }: PlanImportNeeds,
): Promise<PlannedChanges> {
  const files = new Map<string, PlannedFile>();
  const put = async (
    name: string,
    change: (before: Buffer | null) => Promise<string | Uint8Array>,
    mode = 0o600,
  ) => {
    const path = join(stateFolder, name);
    const earlier = files.get(path)?.after;
    const before = await readSmallFile(path);
    const now = earlier && 'bytes' in earlier ? Buffer.from(earlier.bytes) : before;
    const after = Buffer.from(await change(now));
    files.set(path, {
      path,
      before: before && { bytes: before },
      after: { bytes: after, mode: before ? undefined : mode },
    });
  };
  const own = {
    stateFolder,
    settings: await json(await readSmallFile(join(stateFolder, 'settings.json'))),
    hooks: await json(await readSmallFile(join(stateFolder, 'hooks/hooks.json'))),
  };
  for (const found of all) {
    await noteHereAlready(found, own);
    await put('settings.json', (before) => settingsWith(before, found));
    if (found.hooks.length > 0)
      await put(
        'hooks/hooks.json',
        async (before) => `${JSON.stringify(withHooks(await json(before), found), null, 2)}\n`,
      );
    await leaveFiles(found, (file) => whyNotAdded(file, { stateFolder, files }));
    for (const { path, bytes, isProgram } of found.files)
      if (!files.has(join(stateFolder, path)) && lookAtSync(join(stateFolder, path)) === null)
        await put(path, async () => bytes, isProgram ? 0o700 : 0o600);
  }
  const changed = [...files.values()].filter(({ before, after }) => !isSame(before, after));
  return planChanges({ id, files: changed, show: (path) => path.replace(stateFolder, '~/.toolwright') });
}

function isSame(before: PlannedFile['before'], after: PlannedFile['after']): boolean {
  if (before === null || after === null || !('bytes' in before) || !('bytes' in after))
    return (
      after !== null &&
      'bytes' in after &&
      before === null &&
      Buffer.from(after.bytes).toString().trim() === ''
    );
  return Buffer.compare(before.bytes, after.bytes) === 0;
}

/** A file of the user's, or of another agent before this one, stays; one that is the same is no loss. */
async function whyNotAdded(
  { path, bytes }: CarriedFile,
  { stateFolder, files }: { stateFolder: string; files: ReadonlyMap<string, PlannedFile> },
): Promise<string | null> {
  const target = join(stateFolder, path);
  const planned = files.get(target)?.after;
  if (lookAtSync(target) === null && !planned) return null;
  const there = planned && 'bytes' in planned ? planned.bytes : await readSmallFile(target);
  if (Buffer.compare(there ?? Buffer.alloc(0), bytes) === 0) return null;
  return planned
    ? 'another agent has one, too, which comes over'
    : `there is a ~/.toolwright/${path} already`;
}

async function json(bytes: Buffer | null): Promise<unknown> {
  const parsed = await parseJsonc(bytes?.toString('utf8') ?? '');
  if (!parsed.ok)
    throw new SettingsError(`A file of yours is not JSON: ${parsed.problems[0]?.message}. Fix it first.`);
  return plainValue(parsed.root);
}

/** The settings with what was found; a setting that the user has made stays as it is. */
async function settingsWith(before: Buffer | null, found: HomeFindings): Promise<string> {
  let text = before?.toString('utf8') ?? '';
  const now = await json(before);
  const at = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), now);
  for (const setting of [...found.settings]) {
    const { path, value } = setting;
    const mine = at(path);
    if (mine === undefined) {
      text = await editJsonc(text, path, value);
      continue;
    }
    found.settings.splice(found.settings.indexOf(setting), 1);
    if (JSON.stringify(mine) !== JSON.stringify(value))
      found.leave(
        `${path.join('.')} ${JSON.stringify(value)}`,
        `it is set to ${JSON.stringify(mine)} already`,
      );
  }
  for (const [name, server] of found.servers) {
    const mine = at(['mcpServers', name]);
    if (mine === undefined) {
      text = await editJsonc(text, ['mcpServers', name], server);
      continue;
    }
    found.servers.delete(name);
    if (JSON.stringify(mine) !== JSON.stringify(server))
      found.leave(`the MCP server ${name}`, 'there is a server of that name already');
  }
  for (const [key, verdict] of [
    ['offered', 'allow'],
    ['ask', 'ask'],
    ['deny', 'deny'],
  ] as const)
    text = await withRules(text, { key, rules: [...found.rules[verdict]], at });
  return text;
}

async function withRules(
  text: string,
  { key, rules, at }: { key: string; rules: readonly string[]; at(path: readonly string[]): unknown },
): Promise<string> {
  const listed = (name: string): string[] => {
    const mine = at(['permissions', name]);
    return Array.isArray(mine) ? mine.map(String) : [];
  };
  const known = [...listed(key), ...(key === 'offered' ? listed('allow') : [])];
  const fresh = rules.filter((rule) => !known.includes(rule));
  return fresh.length === 0 ? text : editJsonc(text, ['permissions', key], [...listed(key), ...fresh]);
}
