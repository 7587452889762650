import { isJsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';

/** Params made wrong in one place each, with a name for the mistake. */
export function mutantsOf(schema: JsonSchema, valid: object): { mistake: string; params: unknown }[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const mutants: { mistake: string; params: unknown }[] = [
    { mistake: 'null instead of an object', params: null },
    { mistake: 'text instead of an object', params: 'text' },
    { mistake: 'an array instead of an object', params: [] },
  ];
  for (const name of required) {
    const params: Record<string, unknown> = { ...valid };
    delete params[name];
    mutants.push({ mistake: `without ${name}`, params });
  }
  for (const [name, property] of Object.entries(properties)) {
    const wrong = isJsonObject(property) ? wrongValueFor(property['type']) : undefined;
    if (wrong !== undefined)
      mutants.push({ mistake: `${name} of the wrong type`, params: { ...valid, [name]: wrong } });
  }
  return mutants;
}

/** A value that no lossless coercion turns into the type. */
function wrongValueFor(type: unknown): unknown {
  switch (type) {
    case 'string':
      return { not: 'text' };
    case 'integer':
    case 'number':
      return 'not a number';
    case 'boolean':
      return 'perhaps';
    case 'array':
      return { not: 'an array' };
    case 'object':
      return 7;
    default:
      return undefined;
  }
}
