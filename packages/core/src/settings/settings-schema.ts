import type { JsonObject } from '@toolwright/machine/base/json.js';
import { fileKeys, settingKeys } from './setting-keys.js';
import type { Key, Keys, SettingKind } from './setting-kinds.js';

/** The JSON Schema of a settings file, for editors. */
export function settingsSchema(): JsonObject {
  const schema = groupSchema({ ...fileKeys, ...settingKeys });
  for (const { path, canonical } of otherSpellings(settingKeys)) addSpelling(schema, path, canonical);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Toolwright settings',
    allowComments: true,
    allowTrailingCommas: true,
    ...schema,
  };
}

function groupSchema(keys: Keys): JsonObject {
  const properties = Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, keySchema(key)]));
  return { type: 'object', properties, additionalProperties: false };
}

function keySchema(key: Key): JsonObject {
  const isSection = key.kind.type === 'group' || key.kind.type === 'map';
  const fallback = key.default === undefined || isSection ? {} : { default: key.default };
  return { description: key.description, ...kindSchema(key.kind), ...fallback };
}

function kindSchema(kind: SettingKind): JsonObject {
  const strings = { type: 'array', items: { type: 'string' } };
  switch (kind.type) {
    case 'string':
      return { type: 'string' };
    case 'integer':
      return { type: 'integer', minimum: kind.minimum, maximum: kind.maximum };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: [...kind.values] };
    case 'list':
    case 'rules':
    case 'command':
      return { anyOf: [strings, { type: 'string' }] };
    case 'map':
      return {
        type: 'object',
        propertyNames: kind.names ? { pattern: kind.names.source } : undefined,
        additionalProperties: kindSchema(kind.of),
      };
    case 'group':
      return groupSchema(kind.keys);
  }
}

function otherSpellings(keys: Keys, prefix = ''): { path: string[]; canonical: string }[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    const canonical = `${prefix}${name}`;
    const own = (key.spellings ?? []).map((spelling) => ({ path: spelling.split('.'), canonical }));
    return key.kind.type === 'group' ? [...own, ...otherSpellings(key.kind.keys, `${canonical}.`)] : own;
  });
}

function addSpelling(schema: JsonObject, [name, ...rest]: string[], canonical: string): void {
  const properties = schema['properties'] as Record<string, JsonObject>;
  if (name === undefined) return;
  if (rest.length > 0) addSpelling(properties[name] as JsonObject, rest, canonical);
  else properties[name] = { description: `The same as ${canonical}.`, ...kindSchema({ type: 'command' }) };
}
