import { join } from 'node:path';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { carryContext } from '../carry-context.js';
import { carryHooks } from '../carry-hooks.js';
import { carryModel } from '../carry-model.js';
import { carryServer } from '../carry-server.js';
import type { HomeFindings, ReadHomeNeeds } from '../findings.js';
import { carryFolder } from '../other-home.js';
import { readCodexRules } from './codex-rules.js';
import { serverOf } from './codex-server.js';

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
    await readCodexRules(join(folder, 'rules', name), found);
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

const known = [
  'model',
  'model_provider',
  'approval_policy',
  'sandbox_mode',
  'mcp_servers',
  'projects',
  'project_doc_fallback_filenames',
];

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
  const { project_doc_fallback_filenames: names } = config;
  const further = (Array.isArray(names) ? names : []).filter(
    (name) => typeof name === 'string' && name !== 'AGENTS.md',
  );
  if (further.length > 0) found.set('context.fileName', ['AGENTS.md', ...further]);
  if (isJsonObject(config['projects']))
    found.leave('projects', 'trust is asked for here, with what each project could run: toolwright trust');
  for (const name of Object.keys(config))
    if (!known.includes(name)) found.leave(name, reasons.get(name) ?? 'there is no such setting here');
}
