import { join } from 'node:path';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { Verdict } from '../../permission/rules.js';
import { carryContext } from '../carry-context.js';
import { carryHooks } from '../carry-hooks.js';
import { carryModel } from '../carry-model.js';
import { carryRules } from '../carry-rule.js';
import { carryServer } from '../carry-server.js';
import type { HomeFindings, ReadHomeNeeds } from '../findings.js';
import { carryFolder } from '../other-home.js';

interface CodexHome extends ReadHomeNeeds {
  found: HomeFindings;
}

export async function readCodexHome({ home, found, environment, signal }: CodexHome): Promise<void> {
  const folder = join(home, '.codex');
  await carryContext('AGENTS.md', { folder, home, found });
  await carryFolder(join(folder, 'prompts'), { to: 'commands', endings: /\.md$/ }, found, signal);
  await carryFolder(join(folder, 'skills'), { to: 'skills' }, found, signal);
  const hooks = join(folder, 'hooks.json');
  if (lookAtSync(hooks)) await carryHooks({ path: hooks, format: 'claude' }, found);
  for (const name of namesInSync(join(folder, 'rules')).filter((each) => each.endsWith('.rules')))
    await readRules(join(folder, 'rules', name), found);
  const config = await readToml(join(folder, 'config.toml'), found);
  if (config) carryConfig(config, { found, environment });
}

async function readToml(path: string, found: HomeFindings): Promise<JsonObject | null> {
  const bytes = await readSmallFile(path).catch(() => null);
  if (bytes === null) return null;
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(bytes.toString('utf8')) as JsonObject;
  } catch (error) {
    const line = error instanceof TomlError ? `:${error.line}` : '';
    found.leave(`${path}${line}`, `it is not TOML: ${messageOf(error).split('\n')[0]}`);
    return null;
  }
}

const known = ['model', 'model_provider', 'approval_policy', 'sandbox_mode', 'mcp_servers', 'projects'];

const reasons = new Map(
  Object.entries({
    notify: 'write a hook of Notification in its place',
    profiles: 'there are no profiles here; another settings file is given with --settings',
    model_providers: 'models are connected with /connect; a copy here would be one more place for a key',
    shell_environment_policy: 'sandbox.environment names the variables that commands see',
  }),
);

function carryConfig(
  config: JsonObject,
  { found, environment }: Pick<CodexHome, 'found' | 'environment'>,
): void {
  const {
    model,
    model_provider: provider = 'openai',
    approval_policy: policy,
    sandbox_mode: sandbox,
  } = config;
  if (typeof model === 'string' && provider === 'openai')
    carryModel({ provider, name: model }, { found, environment });
  else if (model)
    found.leave(`model ${String(model)}`, 'models are chosen with /model, from those your keys reach');
  if (policy !== undefined && policy !== 'untrusted')
    found.leave(
      `approval_policy ${String(policy)}`,
      'a mode that asks less is never taken over; choose one with --approval-mode',
    );
  if (sandbox === 'read-only') found.set('approvalMode', 'plan');
  else if (sandbox !== undefined)
    found.leave(`sandbox_mode ${String(sandbox)}`, 'commands run on a copy in the sandbox here');
  const servers = config['mcp_servers'];
  for (const [name, server] of Object.entries(isJsonObject(servers) ? servers : {}))
    carryServer(name, isJsonObject(server) ? serverOf(server) : server, found);
  if (isJsonObject(config['projects']))
    found.leave('projects', 'trust is asked for here, with what each project could run: toolwright trust');
  for (const name of Object.keys(config))
    if (!known.includes(name)) found.leave(name, reasons.get(name) ?? 'there is no such setting here');
}

/** The members of a server by the names that settings here have for them. */
function serverOf(server: JsonObject): JsonObject {
  const {
    tool_timeout_sec: seconds,
    enabled_tools,
    disabled_tools,
    http_headers,
    bearer_token_env_var,
    url,
    ...rest
  } = server;
  const headers: JsonObject = isJsonObject(http_headers) ? { ...http_headers } : {};
  if (typeof bearer_token_env_var === 'string') headers['Authorization'] = `Bearer $${bearer_token_env_var}`;
  return {
    ...rest,
    httpUrl: typeof url === 'string' ? url : undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    timeout: typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined,
    includeTools: Array.isArray(enabled_tools) ? enabled_tools : undefined,
    excludeTools: Array.isArray(disabled_tools) ? disabled_tools : undefined,
  };
}

const RULE = /prefix_rule\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)/g;

/** Rules by the first words of a command. Anything else in such a file is told. */
async function readRules(path: string, found: HomeFindings): Promise<void> {
  const text = (await readSmallFile(path).catch(() => null))?.toString('utf8') ?? '';
  const verdicts = new Map<string, Verdict>([
    ['allow', 'allow'],
    ['prompt', 'ask'],
    ['forbidden', 'deny'],
  ]);
  for (const [whole, inside = ''] of text.matchAll(RULE)) {
    const decision = /decision\s*=\s*"(\w+)"/.exec(inside)?.[1] ?? 'allow';
    const verdict = verdicts.get(decision);
    const commands = commandsOf(inside);
    if (verdict && commands.length > 0 && commands.length <= MOST_COMMANDS)
      carryRules(
        commands.map((words) => `Shell(${words.join(' ')})`),
        verdict,
        found,
      );
    else
      found.leave(
        `a rule of ${path}: ${whole.slice(0, 80)}`,
        commands.length > MOST_COMMANDS
          ? `its choices make ${commands.length} commands, more than ${MOST_COMMANDS}`
          : 'it could not be read',
      );
  }
}

const MOST_COMMANDS = 50;
const WORD = /"((?:[^"\\]|\\.)*)"/g;
const PATTERN = /pattern\s*=\s*\[((?:[^[\]"]|"(?:[^"\\]|\\.)*"|\[(?:[^[\]"]|"(?:[^"\\]|\\.)*")*\])*)\]/;

/** A list within the pattern holds the choices for one word: each makes a command of its own. None where it can't be read. */
function commandsOf(rule: string): string[][] {
  const written = PATTERN.exec(rule)?.[1] ?? '';
  const places = [...written.matchAll(/\[([^\]]*)\]|"(?:[^"\\]|\\.)*"/g)].map(([one, choices]) =>
    [...(choices ?? one).matchAll(WORD)].map(([, word]) => word!),
  );
  if (places.length === 0) return [];
  const count = places.reduce((product, choices) => product * choices.length, 1);
  if (count > MOST_COMMANDS) return Array.from({ length: count }, () => []);
  return places.reduce<string[][]>(
    (begun, choices) => begun.flatMap((words) => choices.map((word) => [...words, word])),
    [[]],
  );
}
