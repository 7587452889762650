import { isJsonObject } from '@toolwright/core/front-end';

/** Says what is wrong with a value, naming its place; null when it has the shape that the protocol gives it. */
type Shape = (value: unknown, place: string) => string | null;

const text: Shape = (value, place) => (typeof value === 'string' ? null : `${place} must be a text`);

const number: Shape = (value, place) => (Number.isInteger(value) ? null : `${place} must be a whole number`);

function listOf(each: Shape): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place} must be a list`;
    return firstProblem(value.map((item, index) => () => each(item, `${place}[${index}]`)));
  };
}

/** Members that are not named here may be anything; an optional one may be null. */
function record(required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape {
  return (value, place) => {
    if (!isJsonObject(value)) return `${place} must be an object`;
    const at = (name: string): string => (place === 'params' ? name : `${place}.${name}`);
    return firstProblem([
      ...Object.entries(required).map(
        ([name, shape]) =>
          () =>
            shape(value[name], at(name)),
      ),
      ...Object.entries(optional).map(
        ([name, shape]) =>
          () =>
            value[name] === undefined ? null : orNull(shape)(value[name], at(name)),
      ),
    ]);
  };
}

function orNull(shape: Shape): Shape {
  return (value, place) => (value === null ? null : shape(value, place));
}

/** The shape that a member of the value names. */
function named(member: string, shapes: Record<string, Shape>, otherwise?: Shape): Shape {
  return (value, place) => {
    if (!isJsonObject(value)) return `${place} must be an object`;
    const name = value[member];
    if (name === undefined && otherwise) return otherwise(value, place);
    if (typeof name !== 'string' || !Object.hasOwn(shapes, name))
      return `${place}.${member} must be one of ${Object.keys(shapes).join(', ')}`;
    return shapes[name]!(value, place);
  };
}

function firstProblem(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
}

const media = record({ data: text, mimeType: text });
const block = named('type', {
  text: record({ text }),
  image: media,
  audio: media,
  resource_link: record({ name: text, uri: text }),
  resource: record({
    resource: (value, place) =>
      isJsonObject(value) && 'blob' in value
        ? record({ uri: text, blob: text })(value, place)
        : record({ uri: text, text })(value, place),
  }),
});

/** The values of a form. */
const filledIn: Shape = (value, place) => {
  if (!isJsonObject(value)) return `${place} must be an object`;
  const odd = Object.entries(value).find(([, field]) => !isFieldValue(field));
  return odd ? `${place}.${odd[0]} is not a value that a form can take` : null;
};

function isFieldValue(field: unknown): boolean {
  if (Array.isArray(field)) return field.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof field);
}

const pairs = listOf(record({ name: text, value: text }));
const process = record({ name: text, command: text, args: listOf(text), env: pairs });
const address = record({ name: text, url: text, headers: pairs });
const servers = listOf(named('type', { stdio: process, http: address, sse: address }, process));

const folders = { additionalDirectories: listOf(text) };
const ofSession = record({ sessionId: text });

const params: Record<string, Shape> = {
  initialize: record({ protocolVersion: number }),
  'session/new': record({ cwd: text, mcpServers: servers }, folders),
  'session/load': record({ sessionId: text, cwd: text, mcpServers: servers }, folders),
  'session/resume': record({ sessionId: text, cwd: text }, { mcpServers: servers, ...folders }),
  'session/list': record({}, { cwd: text, cursor: text }),
  'session/close': ofSession,
  'session/delete': ofSession,
  'session/prompt': record({ sessionId: text, prompt: listOf(block) }),
  'session/set_mode': record({ sessionId: text, modeId: text }),
  'session/set_config_option': record({ sessionId: text, configId: text }),
  'session/cancel': ofSession,
};

const results: Record<string, Shape> = {
  'session/request_permission': record({
    outcome: named('outcome', { selected: record({ optionId: text }), cancelled: record({}) }),
  }),
  'elicitation/create': record({ action: text }, { content: filledIn }),
};

/** Names the problem of a request's or notification's parameters; null when there is none. */
export function problemOfParams(method: string, value: unknown): string | null {
  return params[method]?.(value ?? {}, 'params') ?? null;
}

/** Names the problem of the editor's answer; null when there is none. */
export function problemOfResult(method: string, value: unknown): string | null {
  return results[method]?.(value, 'result') ?? null;
}
