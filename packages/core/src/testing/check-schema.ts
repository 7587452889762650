import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { type Finding, finding } from './finding.js';

const KEYWORDS = new Set([
  'type',
  'description',
  'properties',
  'required',
  'items',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'anyOf',
]);
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean']);
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 12;

/** Checks that a parameter schema uses only what every provider accepts unchanged. */
export function checkSchema(schema: unknown): Finding[] {
  if (!isJsonObject(schema)) return [finding('schema', 'parameterSchema must be a JSON Schema object.')];
  const findings: Finding[] = [];
  if (schema['type'] !== 'object')
    findings.push(finding('schema', 'parameterSchema must have "type": "object" at the top.'));
  if (schema['anyOf'])
    findings.push(
      finding(
        'schema-subset',
        'A union at the top is refused by some providers: use one object with optional properties.',
      ),
    );
  const size = JSON.stringify(schema).length;
  if (size > MAX_BYTES)
    findings.push(
      finding(
        'schema-size',
        `The schema is ${size} bytes long; every request carries it. Keep it below ${MAX_BYTES}.`,
      ),
    );
  visit(schema, 'parameters', findings, 0);
  return findings;
}

function visit(schema: JsonObject, path: string, findings: Finding[], depth: number): void {
  if (depth > MAX_DEPTH) {
    findings.push(finding('schema-subset', `${path} is nested more than ${MAX_DEPTH} levels deep.`));
    return;
  }
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword))
      findings.push(
        finding(
          'schema-subset',
          `${path}: the keyword ${keyword} is not taken by every provider. Leave it out, or say it in the description.`,
        ),
      );
  }
  const type = schema['type'];
  if (Array.isArray(type))
    findings.push(
      finding('schema-subset', `${path}: a list of types is refused by some providers. Use one type.`),
    );
  else if (type === undefined ? !schema['anyOf'] && !schema['enum'] : !TYPES.has(String(type))) {
    findings.push(finding('schema-subset', `${path}: "type" must be one of ${[...TYPES].join(', ')}.`));
  }
  if (schema['format'] !== undefined && schema['format'] !== 'date-time') {
    findings.push(
      finding(
        'schema-subset',
        `${path}: the format ${String(schema['format'])} is refused by some providers. Say it in the description.`,
      ),
    );
  }
  visitChildren(schema, path, findings, depth);
}

function visitChildren(schema: JsonObject, path: string, findings: Finding[], depth: number): void {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  if (schema['properties'] && schema['type'] !== 'object')
    findings.push(finding('schema-subset', `${path}: only an object has properties.`));
  for (const [name, child] of Object.entries(properties)) {
    if (!PROPERTY_NAME.test(name))
      findings.push(
        finding(
          'schema-subset',
          `${path}.${name}: a property name must be 1 to 64 characters of A-Z, a-z, 0-9, _, . and -.`,
        ),
      );
    if (!isJsonObject(child)) findings.push(finding('schema', `${path}.${name} must be a schema object.`));
    else {
      if (typeof child['description'] !== 'string' && depth === 0)
        findings.push(
          finding(
            'schema-description',
            `${path}.${name} has no description; the model has to guess.`,
            'warning',
          ),
        );
      visit(child, `${path}.${name}`, findings, depth + 1);
    }
  }
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
    if (!Object.hasOwn(properties, String(name)))
      findings.push(finding('schema', `${path}: ${String(name)} is required but not among the properties.`));
  }
  if (schema['type'] === 'array' && !isJsonObject(schema['items']))
    findings.push(finding('schema-subset', `${path}: an array needs "items".`));
  if (isJsonObject(schema['items'])) visit(schema['items'], `${path}[]`, findings, depth + 1);
  if (Array.isArray(schema['anyOf'])) {
    schema['anyOf'].forEach((child, index) => {
      if (isJsonObject(child)) visit(child, `${path}.anyOf[${index}]`, findings, depth + 1);
    });
  }
}
