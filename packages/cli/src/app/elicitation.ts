import type { JsonObject, McpElicitRequest } from '@toolwright/core';
import { isJsonObject, validateJson } from '@toolwright/core/front-end';
import type { Choice, Question, Reply } from './question.js';
import { safe } from './safe-text.js';
import { yesNoQuestion } from './yes-no.js';

/** A field of a server's form. */
export interface Field {
  name: string;
  label: string;
  description: string;
  required: boolean;
  kind: 'text' | 'number' | 'integer' | 'one' | 'some';
  /** The choices, for `one` and `some`. */
  options: { value: string | boolean; label: string }[];
  default?: FieldValue;
  /** Schema that a value must fit. */
  schema: JsonObject;
}

export type FieldValue = string | number | boolean | string[];

export function fieldsOf(schema: JsonObject): Field[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) ? [fieldOf(name, property, required.includes(name))] : [],
  );
}

function fieldOf(name: string, property: JsonObject, required: boolean): Field {
  const items = isJsonObject(property['items']) ? property['items'] : {};
  const isList = property['type'] === 'array';
  const options =
    property['type'] === 'boolean'
      ? [
          { value: true, label: 'yes' },
          { value: false, label: 'no' },
        ]
      : optionsOf(isList ? items : property);
  const plain = property['type'] === 'number' || property['type'] === 'integer' ? property['type'] : 'text';
  const given = property['default'];
  return {
    name,
    label: textAt(property, 'title') || name,
    description: textAt(property, 'description'),
    required,
    kind: isList ? 'some' : options.length > 0 ? 'one' : plain,
    options,
    schema: property,
    default: isValue(given) ? given : undefined,
  };
}

/** `enum` with or without names, or a list of `const` with titles. */
function optionsOf(property: JsonObject): Field['options'] {
  const listed = property['oneOf'] ?? property['anyOf'];
  if (Array.isArray(listed))
    return listed
      .filter(isJsonObject)
      .flatMap((option) =>
        typeof option['const'] === 'string'
          ? [{ value: option['const'], label: textAt(option, 'title') || option['const'] }]
          : [],
      );
  const values = Array.isArray(property['enum']) ? property['enum'] : [];
  const names = Array.isArray(property['enumNames']) ? property['enumNames'] : [];
  return values.flatMap((value, index) =>
    typeof value === 'string' ? [{ value, label: String(names[index] ?? value) }] : [],
  );
}

/** The model asks where no server does. */
export function whoAsks(server: string): string {
  return server === '' ? 'The model asks' : `The MCP server ${server} asks`;
}

/** The question about one field; `problem` says what was wrong with the last answer. */
export function fieldQuestion(
  { server, message }: McpElicitRequest,
  field: Field,
  problem: string | null = null,
): Question {
  const kinds = { text: 'text', number: 'a number', integer: 'a whole number', one: '', some: '' };
  const wanted = kinds[field.kind] === '' ? '' : ` (${kinds[field.kind]})`;
  return {
    title: safe(`${whoAsks(server)}: ${message}`),
    text: safe(
      `${field.label}${wanted}${field.description === '' ? '' : `: ${field.description}`}${listed(field)}`,
    ),
    facts: [
      ...(problem === null ? [] : [safe(problem)]),
      safe(`Your answer goes to the ${server === '' ? 'model' : 'server'}. Never give it a password.`),
    ],
    choices: choicesOf(field),
    refusal: 'n',
  };
}

function listed({ kind, options }: Field): string {
  return kind === 'some' ? `\n${options.map(({ label }) => `  ${label}`).join('\n')}` : '';
}

function choicesOf(field: Field): Choice[] {
  const answers =
    field.kind === 'one'
      ? field.options.map(({ label }, index) => ({ key: String(index + 1), label: safe(label) }))
      : [{ key: '=', label: safe('type the answer'), asksFor: safe(hintOf(field)) }];
  return [
    ...answers,
    ...(field.default === undefined
      ? []
      : [{ key: 'd', label: safe(`the default: ${String(field.default)}`) }]),
    ...(field.required ? [] : [{ key: 's', label: safe('skip this one') }]),
    { key: 'n', label: safe('decline to answer') },
  ];
}

function hintOf({ kind }: Field): string {
  return kind === 'some' ? 'Your answers, separated by commas' : 'Your answer';
}

export type Answered = { value: FieldValue } | { problem: string } | 'left out';

/** Reads the answer and checks it against the field's schema. */
export function answerOf(field: Field, reply: Reply): Answered {
  const answered = readAnswer(field, reply);
  if (answered === 'left out' || 'problem' in answered) return answered;
  const problem = validateJson(field.schema, answered.value);
  return problem === null ? answered : { problem };
}

function readAnswer(field: Field, { key, text }: Reply): Answered {
  if (key === 's') return 'left out';
  if (key === 'd' && field.default !== undefined) return { value: field.default };
  if (field.kind === 'one') {
    const option = field.options[Number(key) - 1];
    return option ? { value: option.value } : { problem: 'That is not one of the choices.' };
  }
  if (field.kind === 'some') return someOf(field, text);
  if (field.kind === 'text') return { value: text };
  const number = Number(text);
  const fits =
    text !== '' && Number.isFinite(number) && (field.kind === 'number' || Number.isInteger(number));
  return fits ? { value: number } : { problem: `${text || 'Nothing'} is not ${numberWords(field.kind)}.` };
}

function numberWords(kind: Field['kind']): string {
  return kind === 'integer' ? 'a whole number' : 'a number';
}

function someOf({ options }: Field, text: string): Answered {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const found = words.map((word) => options.find(({ label, value }) => label === word || value === word));
  const unknown = words[found.indexOf(undefined)];
  if (unknown !== undefined) return { problem: `${unknown} is not one of the choices.` };
  return { value: found.flatMap((option) => (typeof option?.value === 'string' ? [option.value] : [])) };
}

/** Asks whether the user has opened an address and done there what the server wants. */
export function addressQuestion({ server, message }: McpElicitRequest, url: string): Question {
  return yesNoQuestion({
    title: `The MCP server ${server} asks you to open an address: ${message}`,
    facts: ['Check the host before you open it. Nothing you do there passes through Toolwright.'],
    text: url,
    yes: 'yes, I have opened it',
    no: 'no',
  });
}

function textAt(source: JsonObject, key: string): string {
  const value = source[key];
  return typeof value === 'string' ? value : '';
}

function isValue(value: unknown): value is FieldValue {
  return (
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((item) => typeof item === 'string'))
  );
}
