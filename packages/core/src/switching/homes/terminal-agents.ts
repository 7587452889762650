import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { carryContext } from '../carry-context.js';
import { carryHooks } from '../carry-hooks.js';
import { carryModel } from '../carry-model.js';
import { carryPolicies } from '../carry-policies.js';
import { carryRules } from '../carry-rule.js';
import { carryServer } from '../carry-server.js';
import type { HomeFindings, ReadHomeNeeds } from '../findings.js';
import { carryFolder, noteExtensions, noteInPlace, readOtherJson } from '../other-home.js';
import { carryMode } from './claude.js';

/** Gemini CLI and Qwen Code, whose settings have the same members, in groups or, in older files, without them. */
export async function readTerminalAgent(
  agent: 'gemini' | 'qwen',
  { home, found, environment, signal }: ReadHomeNeeds & { found: HomeFindings },
): Promise<void> {
  const folder = join(home, `.${agent}`);
  const places = agent === 'qwen' ? ['.qwen/skills', '.qwen/commands', '.qwen/agents'] : ['.gemini/commands'];
  noteInPlace(home, places, found);
  if (agent === 'gemini') {
    await carryFolder(join(folder, 'skills'), { to: 'skills' }, found, signal);
    await carryFolder(join(folder, 'agents'), { to: 'agents', endings: /\.md$/ }, found, signal);
  }
  const usual = agent === 'gemini' ? 'GEMINI.md' : 'QWEN.md';
  await carryContext(usual, { folder, home, found });
  if (agent === 'gemini') await carryPolicies(join(folder, 'policies'), found);
  const path = join(folder, 'settings.json');
  const settings = await readOtherJson(path, found);
  await noteExtensions(join(folder, 'extensions'), agent, found);
  if (!settings) return;
  if (settings['hooks']) await carryHooks({ path, format: agent }, found);
  carrySettings(settings, { usual, found, environment, agent });
}

interface Carrying extends Pick<ReadHomeNeeds, 'environment'> {
  usual: string;
  agent: 'gemini' | 'qwen';
  found: HomeFindings;
}

/** The first of several places that has a value. */
function valueAt(settings: JsonObject, ...paths: string[]): unknown {
  for (const path of paths) {
    let value: unknown = settings;
    for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function carrySettings(settings: JsonObject, { usual, agent, found, environment }: Carrying): void {
  const at = (...paths: string[]): unknown => valueAt(settings, ...paths);
  const servers = at('mcpServers');
  for (const [name, server] of Object.entries(isJsonObject(servers) ? servers : {}))
    carryServer(name, server, found);
  for (const verdict of ['allow', 'ask', 'deny'] as const)
    carryRules(at(`permissions.${verdict}`), verdict, found);
  carryRules(at('tools.allowed', 'allowedTools'), 'allow', found);
  carryMode(modeOf(at('general.defaultApprovalMode', 'tools.approvalMode', 'approvalMode')), found);
  carryNames(at('context.fileName', 'contextFileName'), usual, found);
  carryExcluded(at('tools.exclude', 'excludeTools'), found);
  const model = at('model.name', 'model');
  if (typeof model === 'string' && agent === 'gemini' && model.startsWith('gemini'))
    carryModel({ provider: 'gemini', name: model }, { found, environment });
  else if (typeof model === 'string')
    found.leave(`model ${model}`, 'models are chosen with /model, from those your keys reach');
  if (at('general.vimMode', 'vimMode') === true) found.set('ui.vim', true);
  for (const name of ['discoveryCommand', 'callCommand']) {
    const command = at(`tools.${name}`, `tool${name[0]!.toUpperCase()}${name.slice(1)}`);
    if (typeof command === 'string')
      found.set(`tools.tool${name[0]!.toUpperCase()}${name.slice(1)}`, command);
  }
  leaveRest(settings, found);
}

function modeOf(mode: unknown): unknown {
  return typeof mode === 'string' ? mode.replace('_', '-') : mode;
}

/** AGENTS.md comes first; the usual names of others count where a folder has none. */
function carryNames(written: unknown, usual: string, found: HomeFindings): void {
  const names = (Array.isArray(written) ? written : [written]).filter((name) => typeof name === 'string');
  const further = names.filter((name) => !['AGENTS.md', usual].includes(name));
  if (further.length > 0) found.set('context.fileName', ['AGENTS.md', ...further]);
}

function carryExcluded(written: unknown, found: HomeFindings): void {
  const names = (Array.isArray(written) ? written : []).filter((name) => typeof name === 'string');
  const whole = names.filter((name) => /^[a-z_]+$/.test(name));
  if (whole.length > 0) found.set('tools.exclude', whole);
  const parts = names.filter((each) => !whole.includes(each));
  carryRules(parts, 'deny', found);
}

const known = [
  ...[
    'mcpServers',
    'permissions',
    'hooks',
    'tools',
    'context',
    'model',
    'general',
    'approvalMode',
    '$schema',
    '$version',
  ],
  ...[
    'allowedTools',
    'excludeTools',
    'contextFileName',
    'vimMode',
    'toolDiscoveryCommand',
    'toolCallCommand',
  ],
];

/** The known members of the groups above. */
const knownMembers = new Map(
  Object.entries({
    tools: ['allowed', 'exclude', 'approvalMode', 'discoveryCommand', 'callCommand'],
    context: ['fileName'],
    model: ['name'],
    general: ['vimMode', 'defaultApprovalMode'],
    permissions: ['allow', 'ask', 'deny'],
  }),
);

const reasons = new Map(
  Object.entries({
    'tools.core': 'tools are left out by name here: tools.exclude',
    'tools.sandbox': 'commands run on a copy in the sandbox here',
    'general.checkpointing': 'every change can be undone here',
    security: 'keys and trust are asked for here: /connect, toolwright trust',
    selectedAuthType: 'keys are asked for here: /connect',
    ui: 'themes are chosen with /theme',
    theme: 'themes are chosen with /theme',
    modelProviders: 'models are connected with /connect; a copy here would be one more place for a key',
    env: 'variables belong in your shell; a copy here would be one more place for a secret',
  }),
);

function leaveRest(settings: JsonObject, found: HomeFindings): void {
  for (const [name, value] of Object.entries(settings)) {
    const members = knownMembers.get(name);
    const left = !known.includes(name)
      ? [name]
      : members && isJsonObject(value)
        ? Object.keys(value).flatMap((each) => (members.includes(each) ? [] : `${name}.${each}`))
        : [];
    for (const each of left) found.leave(each, reasons.get(each) ?? 'there is no such setting here');
  }
}
