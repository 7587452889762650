import { basename, join } from 'node:path';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { Verdict } from '../permission/rules.js';
import { carryRules } from './carry-rule.js';
import type { HomeFindings } from './findings.js';

const verdicts = new Map<string, Verdict>([
  ['allow', 'allow'],
  ['ask_user', 'ask'],
  ['deny', 'deny'],
]);

/** Members that a rule of ours can say. */
const known = ['toolName', 'commandPrefix', 'decision', 'priority', 'denyMessage', 'deny_message', 'name'];

/** The rules that Gemini CLI keeps in TOML files of its home. */
export async function carryPolicies(folder: string, found: HomeFindings): Promise<void> {
  for (const name of namesInSync(folder).filter((each) => each.endsWith('.toml')))
    await carryFile(join(folder, name), found);
}

async function carryFile(path: string, found: HomeFindings): Promise<void> {
  const { parse } = await import('smol-toml');
  try {
    const { rule } = parse((await readSmallFile(path))?.toString('utf8') ?? '');
    for (const [index, each] of (Array.isArray(rule) ? rule : []).entries())
      if (isJsonObject(each)) carryPolicy(each, `rule ${index + 1} of policies/${basename(path)}`, found);
  } catch (error) {
    found.leave(path, `it could not be read: ${messageOf(error).split('\n')[0]}`);
  }
}

function carryPolicy(rule: JsonObject, what: string, found: HomeFindings): void {
  const { toolName, commandPrefix, decision } = rule;
  const verdict = typeof decision === 'string' ? verdicts.get(decision) : undefined;
  const tools = textsOf(toolName);
  const narrower = Object.keys(rule).filter((name) => !known.includes(name));
  if (!verdict || tools.length === 0 || narrower.length > 0) {
    const why =
      narrower.length > 0 ? `a rule here has no ${narrower.join(', ')}` : 'it names no tool or decision';
    found.leave(what, `${why}; write one in permissions`);
    return;
  }
  const prefixes = textsOf(commandPrefix);
  const rules = tools.flatMap((tool) =>
    prefixes.length === 0 ? tool : prefixes.map((prefix) => `${tool}(${prefix})`),
  );
  carryRules(rules, verdict, found);
}

function textsOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string');
}
