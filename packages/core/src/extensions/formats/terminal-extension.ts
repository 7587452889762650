import { isJsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import type { PieceProblem } from '../../pieces/piece.js';
import type { ExtensionVariable, ReadExtension } from '../extension.js';
import type { ManifestReader } from '../manifest-reader.js';
import { serversNamed } from './servers.js';

/** Extensions of Gemini CLI and of Qwen Code, which differ in names alone. */
export async function readTerminalExtension(
  reader: ManifestReader,
  format: 'gemini' | 'qwen',
): Promise<ReadExtension | PieceProblem> {
  reader.leave({
    'policies/': 'an extension brings no rules',
    themes: 'themes are chosen by ui.theme',
    plan: 'plans have no folder of their own here',
    lspServers: 'language servers of extensions are not started',
    channels: 'there are no channels here',
  });
  const variables = variablesOf(reader);
  const servers = await serversNamed(reader, { usual: [] });
  for (const server of Object.values(servers)) {
    if (typeof server['command'] !== 'string' || variables.length === 0) continue;
    const passed = Object.fromEntries(variables.map(({ name }) => [name, `\${${name}:-}`]));
    server['env'] = { ...passed, ...(isJsonObject(server['env']) ? server['env'] : {}) };
  }
  return reader.result(format, {
    skills: reader.folders('skills'),
    commands: reader.folders('commands'),
    agents: reader.folders('agents'),
    hooks: reader.hooks(format),
    servers,
    context: contextOf(reader, format === 'gemini' ? 'GEMINI.md' : 'QWEN.md'),
    excludeTools: excludedOf(reader),
    variables,
  });
}

function contextOf(reader: ManifestReader, usual: string): string[] {
  const named = reader.texts('contextFileName');
  if (named.length === 0) return reader.has(usual) ? [usual] : [];
  return named.flatMap((written) => {
    const path = reader.inside(written, 'contextFileName');
    if (path === null || reader.has(path)) return path ?? [];
    reader.problem(`there is no ${path} in the extension`, 'contextFileName');
    return [];
  });
}

/** Whole tools can be taken away; a pattern for commands can't. */
function excludedOf(reader: ManifestReader): string[] {
  return reader.texts('excludeTools').filter((name) => {
    if (/^[\w-]+$/.test(name)) return true;
    reader.unused.push({
      what: `excludeTools ${terminalSafeLine(name).slice(0, 80)}`,
      why: 'only whole tools are taken away; write a rule in permissions.deny for the rest',
    });
    return false;
  });
}

function variablesOf(reader: ManifestReader): ExtensionVariable[] {
  const { settings } = reader.value;
  if (!Array.isArray(settings)) return [];
  return settings.flatMap((setting): ExtensionVariable[] => {
    if (!isJsonObject(setting)) return [];
    const { envVar, description, name } = setting;
    if (typeof envVar !== 'string' || !/^[A-Za-z_]\w*$/.test(envVar)) {
      reader.problem('a setting names no variable (envVar)', 'settings');
      return [];
    }
    const words = terminalSafeLine(String(description ?? name ?? '')).slice(0, 200);
    return [{ name: envVar, description: words, isRequired: false }];
  });
}
