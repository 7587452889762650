import { join } from 'node:path';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { carryContext } from '../carry-context.js';
import { carryHooks } from '../carry-hooks.js';
import { carryRules } from '../carry-rule.js';
import { carryServer } from '../carry-server.js';
import type { HomeFindings } from '../findings.js';
import { noteInPlace, readOtherJson } from '../other-home.js';

/** Members with a meaning here, or a reason of their own. */
const known = ['permissions', 'hooks', 'enabledPlugins', 'model', 'env', '$schema', 'includeCoAuthoredBy'];

export async function readClaudeHome(home: string, found: HomeFindings): Promise<void> {
  const folder = join(home, '.claude');
  noteInPlace(home, ['.claude/skills', '.claude/commands', '.claude/agents'], found);
  await carryContext('CLAUDE.md', { folder, home, found });
  const rules = namesInSync(join(folder, 'rules'));
  if (rules.length > 0)
    found.leave(
      `~/.claude/rules (${rules.length})`,
      'name those that should apply everywhere as @path in ~/.toolwright/AGENTS.md',
    );
  const path = join(folder, 'settings.json');
  const settings = (await readOtherJson(path, found)) ?? {};
  const { permissions, model, env, hooks } = settings;
  if (isJsonObject(permissions)) {
    for (const verdict of ['allow', 'ask', 'deny'] as const) carryRules(permissions[verdict], verdict, found);
    carryMode(permissions['defaultMode'], found);
    if (permissions['additionalDirectories'])
      found.leave(
        'permissions.additionalDirectories',
        'name folders for one project with --include-directories',
      );
  }
  if (hooks) await carryHooks({ path, format: 'claude' }, found);
  if (model)
    found.leave(`model ${String(model)}`, 'models are chosen with /model, from those your keys reach');
  for (const name of isJsonObject(env) ? Object.keys(env) : [])
    found.leave(
      `the variable ${name}`,
      'variables belong in your shell; a copy here would be one more place for a secret',
    );
  for (const name of Object.keys(settings))
    if (!known.includes(name)) found.leave(name, 'there is no such setting here');
  await readPlugins(folder, found);
  await readServers(home, found);
}

/** A mode that asks less is the user's to choose, here. */
export function carryMode(mode: unknown, found: HomeFindings): void {
  if (mode === 'plan') found.set('approvalMode', 'plan');
  else if (typeof mode === 'string' && mode !== 'default')
    found.leave(
      `the mode ${mode}`,
      'a mode that asks less is never taken over; choose one with --approval-mode',
    );
}

async function readPlugins(folder: string, found: HomeFindings): Promise<void> {
  const saved = await readOtherJson(join(folder, 'plugins', 'installed_plugins.json'), found);
  const plugins = isJsonObject(saved?.['plugins']) ? saved['plugins'] : {};
  for (const [name, entries] of Object.entries(plugins)) {
    const entry: unknown = Array.isArray(entries) ? entries[0] : entries;
    const path = isJsonObject(entry) ? entry['installPath'] : undefined;
    if (typeof path === 'string' && lookAtSync(path))
      found.extensions.push({ name: name.split('@')[0]!, path });
    else found.leave(`the plugin ${name}`, 'its folder is gone');
  }
}

/** Servers for all projects; those of single projects stay with them. */
async function readServers(home: string, found: HomeFindings): Promise<void> {
  const saved = await readOtherJson(join(home, '.claude.json'), found);
  const { mcpServers, projects } = saved ?? {};
  for (const [name, server] of Object.entries(isJsonObject(mcpServers) ? mcpServers : {}))
    carryServer(name, server, found);
  const own = Object.entries(isJsonObject(projects) ? projects : {}).filter(
    ([, project]) =>
      isJsonObject(project) &&
      isJsonObject(project['mcpServers']) &&
      Object.keys(project['mcpServers']).length > 0,
  );
  for (const [path] of own)
    found.leave(
      `MCP servers of the project ${path}`,
      'projects are not read; add them there with toolwright mcp add --project',
    );
}
