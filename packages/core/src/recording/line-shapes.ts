import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { areEffects } from './effect-shapes.js';
import type { RecordingLine } from './recording.js';

/** True for a line with everything that a replay reads in it: a recording may come from anywhere. */
export function isRecordingLine(value: JsonObject): value is RecordingLine & JsonObject {
  const { type } = value;
  return typeof type === 'string' && Object.hasOwn(shapes, type)
    ? shapes[type as RecordingLine['type']](value)
    : false;
}

const shapes: Record<RecordingLine['type'], (line: JsonObject) => boolean> = {
  recording: ({ sessionId, workspace, model, provider, at, program, tree }) =>
    [sessionId, workspace, model, provider, at, program].every(isText) &&
    (tree === undefined || isTree(tree)),
  history: ({ messages }) => areMessages(messages),
  request: ({ conversation, system, tools }) =>
    isText(conversation) && isText(system) && isListOf(tools, ({ name }) => isText(name)),
  answer: ({ events, conversation, failure }) =>
    isText(conversation) &&
    isListOf(events, isModelEvent) &&
    (failure === undefined ||
      (isJsonObject(failure) && isText(failure['kind']) && isText(failure['message']))),
  entry: ({ entry }) => isJsonObject(entry) && isEntry(entry),
  event: ({ event, at }) => isText(at) && isJsonObject(event) && isAgentEvent(event),
  content: ({ hash, bytes }) => isText(hash) && isText(bytes),
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, isItem: (item: JsonObject) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && isItem(item));
}

function areMessages(value: unknown): boolean {
  return isListOf(value, ({ role, parts }) => (role === 'user' || role === 'model') && areParts(parts));
}

function areParts(value: unknown): boolean {
  return isListOf(
    value,
    ({ text, functionCall, functionResponse, inlineData }) =>
      (text === undefined || isText(text)) &&
      [functionCall, functionResponse, inlineData].every((each) => each === undefined || isJsonObject(each)),
  );
}

function isModelEvent({ type, text, call, usage, parts, reason }: JsonObject): boolean {
  switch (type) {
    case 'text-delta':
    case 'thinking-delta':
      return isText(text);
    case 'call':
      return (
        isJsonObject(call) && isText(call['name']) && isText(call['id']) && call['arguments'] !== undefined
      );
    case 'usage':
      return isJsonObject(usage);
    case 'finish':
      return isText(reason) && areParts(parts);
    default:
      return isText(type);
  }
}

function isEntry({ type, at, message, messages, changeSet, callId, ...call }: JsonObject): boolean {
  if (!isText(at)) return false;
  switch (type) {
    case 'message':
      return areMessages([message]);
    case 'history':
      return areMessages(messages);
    case 'changes':
      return isJsonObject(changeSet) && isText(changeSet['id']) && isListOf(changeSet['changes'], isChange);
    case 'call-start':
      return (
        isText(callId) && isText(call['tool']) && isJsonObject(call['args']) && areEffects(call['effects'])
      );
    case 'call-end':
      return isText(callId) && isText(call['tool']) && isJsonObject(call['response']);
    case 'call-decision':
      return (
        isText(callId) && isText(call['decision']) && isText(call['reason']) && areEffects(call['effects'])
      );
    default:
      return isText(type);
  }
}

function isChange({ kind, path }: JsonObject): boolean {
  return isText(kind) && isText(path);
}

function isAgentEvent({ type, callId, tool, result }: JsonObject): boolean {
  if (type === 'result') return isJsonObject(result) && isListOf(result['denials'], () => true);
  if (type === 'call-start' || type === 'call-end') return isText(callId) && isText(tool);
  return isText(type);
}

function isTree(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { digest, files, leftOut } = value;
  const isFile = ({ path, hash, size, mode, modifiedMs }: JsonObject): boolean =>
    isText(path) && isText(hash) && [size, mode, modifiedMs].every(Number.isFinite);
  return isText(digest) && isListOf(files, isFile) && isListOf(leftOut, ({ path }) => isText(path));
}
