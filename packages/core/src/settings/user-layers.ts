import type { JsonNode } from '@toolwright/machine/base/configuration/plain-json.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import { chooseAccount, type FromVariable, type ModelWish, modelNamedFor } from '../model/accounts.js';
import { checkValue, invalid } from './check-value.js';
import type { Layer, Origin } from './problems.js';
import { type Assignment, type ReadLayer, settingPaths } from './read-layer.js';

/** The flags that are settings, under their names on the command line. */
export type SettingFlags = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

const flagPaths: ReadonlyMap<string, string> = new Map(
  [...settingPaths].flatMap(([path, { flag }]) => (flag === undefined ? [] : [[flag, path] as const])),
);

export function readFlags(flags: SettingFlags): ReadLayer {
  const result: ReadLayer = { assignments: [], problems: [], warnings: [], serverWarnings: [] };
  for (const [flag, value] of Object.entries(flags)) {
    const path = flagPaths.get(flag);
    if (path === undefined) throw new Error(`${flag} is not the flag of a setting`);
    if (value !== undefined) assign(result, { layer: 'flags', source: flag, path, value });
  }
  return result;
}

/** The model as files and flags choose it; the environment stands between them. */
export interface ModelInFiles extends Omit<ModelWish, 'model'> {
  name?: string;
  /** Address and key stand in the same file. */
  together?: boolean;
}

/** The model as the variables of its account describe it. */
export function readModelEnvironment(environment: Environment, chosen: ModelInFiles): ReadLayer {
  const result: ReadLayer = { assignments: [], problems: [], warnings: [], serverWarnings: [] };
  const set = (path: string, from: FromVariable | undefined) => {
    if (!from) return;
    const { variable: source, value } = from;
    assign(result, { layer: 'environment', source, path: `model.${path}`, value });
  };
  const choice = chooseAccount(environment, { ...chosen, model: chosen.name });
  if (!choice) {
    set('name', chosen.provider && modelNamedFor(chosen.provider, environment));
    return result;
  }
  const { account, chosenBy, model, baseUrl, apiKey } = choice;
  set('provider', chosenBy === undefined ? undefined : { variable: chosenBy, value: account.provider });
  set('name', model);
  set('baseUrl', baseUrl);
  // A key must not travel to an address that was written down with a key of its own.
  if (baseUrl || !chosen.together) set('apiKey', apiKey);
  return result;
}

function assign(
  result: ReadLayer,
  given: { layer: Layer; source: string; path: string; value: unknown },
): void {
  const { layer, source, path, value } = given;
  const key = settingPaths.get(path);
  if (!key) throw new Error(`there is no setting ${path}`);
  const report = (_at: unknown, message: string) => result.problems.push({ where: source, message });
  const checked = checkValue(
    nodeOf(value, ['integer', 'number'].includes(key.kind.type)),
    key.kind,
    { path, key: { ...key, literal: true } },
    { environment: {}, problem: report, warning: report },
  );
  if (checked === invalid) return;
  const origin: Origin = { layer, source };
  const items = Array.isArray(checked) ? checked.map(() => origin) : undefined;
  const assignment: Assignment = { path: path.split('.'), key, value: checked, origin, items };
  result.assignments.push(assignment);
}

/** A value from outside a file, in the form the checks take. */
export function nodeOf(value: unknown, isNumber = false): JsonNode {
  const at = { line: 1, column: 1 };
  if (Array.isArray(value)) return { type: 'array', at, items: value.map((item) => nodeOf(item)) };
  if (isNumber && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()))
    return { type: 'number', at, value: Number(value) };
  if (typeof value === 'number') return { type: 'number', at, value };
  if (typeof value === 'boolean') return { type: 'boolean', at, value };
  if (typeof value === 'string') return { type: 'string', at, value };
  if (typeof value === 'object' && value !== null) {
    // A field that is undefined counts as absent, as in JSON.
    const fields = Object.entries(value).filter(([, item]) => item !== undefined);
    return { type: 'object', at, entries: fields.map(([name, item]) => ({ name, at, value: nodeOf(item) })) };
  }
  return { type: 'null', at, value: null };
}
