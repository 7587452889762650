import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { NamedCall } from '../wire/answer.js';

/** A call found in text, with where it stood. */
interface FoundCalls {
  start: number;
  end: number;
  calls: NamedCall[];
}

/** Words with which a call written as text may begin; a stream holds text back from here on. */
export const callOpenings = [
  '<tool_call>',
  '<tool_use>',
  '<function_call>',
  '<function_calls>',
  '<function=',
  '<invoke ',
  '<|tool_call',
  '<|python_tag|>',
  '<｜tool',
  '[TOOL_CALLS]',
] as const;

/**
 * Calls that a model wrote into its text because it does not know the structured form. Only tools that were
 * offered count, and nothing inside a code block unless the block ends the answer: quoting is not calling.
 */
export function findTextCalls(
  text: string,
  names: ReadonlySet<string>,
): { calls: NamedCall[]; text: string } {
  const fences = fencedBlocks(text);
  const tail = fences.at(-1);
  const endsInFence = tail !== undefined && text.slice(tail.end).trim() === '';
  const quoted = (at: number) =>
    fences.some((fence) => at > fence.start && at < fence.end && !(endsInFence && fence === tail));
  const marked = findMarked(text).filter((found) => !quoted(found.start));
  const found = marked.length > 0 ? marked : bareJson(text, endsInFence ? tail : undefined);
  const known = found.filter(({ calls }) => calls.length > 0 && calls.every(({ name }) => names.has(name)));
  if (known.length === 0) return { calls: [], text };
  return { calls: known.flatMap(({ calls }) => calls), text: without(text, known) };
}

function without(text: string, found: readonly FoundCalls[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of [...found].sort((a, b) => a.start - b.start)) {
    rest += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return (rest + text.slice(at))
    .replace(/<\/?(?:\w+:)?function_calls>|<[|｜]tool[▁_]calls[▁_](?:begin|end)[|｜]>|```\w*\s*```/g, '')
    .trim();
}

interface CodeBlock {
  start: number;
  end: number;
  body: string;
}

function fencedBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const match of text.matchAll(/^[ \t]*```[^\n]*\n([\s\S]*?)(?:^[ \t]*```[ \t]*$|(?![\s\S]))/gm)) {
    blocks.push({ start: match.index, end: match.index + match[0].length, body: match[1] ?? '' });
  }
  return blocks;
}

interface Syntax {
  /** The whole of one call, or of one list of calls. */
  pattern: RegExp;
  read(body: string, name: string): NamedCall[];
}

const syntaxes: readonly Syntax[] = [
  // <tool_call>{"name": …}</tool_call>, with JSON, <function=…> or <arg_key> inside; the end may be missing.
  {
    pattern: /<(tool_call|function_call|tool_use)>([\s\S]*?)(?:<\/\1>|(?![\s\S]))/g,
    read: (body) => readTagged(body),
  },
  { pattern: /<(function)=[\s\S]*?(?:<\/function>|(?![\s\S]))/g, read: (body) => readFunctionTag(body) },
  {
    pattern: /<(?:\w+:)?(invoke) name="[\s\S]*?(?:<\/(?:\w+:)?invoke>|(?![\s\S]))/g,
    read: (body) => readInvoke(body),
  },
  { pattern: /\[(TOOL_CALLS)\]([\s\S]*)$/g, read: (body) => readMistral(body) },
  {
    pattern: /<\|(python_tag)\|>([\s\S]*?)(?:<\|eom_id\|>|<\|eot_id\|>|(?![\s\S]))/g,
    read: (body) => readJson(body),
  },
  // <｜tool▁call▁begin｜>function<｜tool▁sep｜>name, then the arguments, in a block or bare.
  {
    pattern: /<[|｜](tool[▁_]call)[▁_]begin[|｜]>([\s\S]*?)(?:<[|｜]tool[▁_]call[▁_]end[|｜]>|(?![\s\S]))/g,
    read: (body) => readSeparated(body),
  },
];

function findMarked(text: string): FoundCalls[] {
  const found: FoundCalls[] = [];
  for (const { pattern, read } of syntaxes) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((other) => start < other.end && end > other.start)) continue;
      const calls = read(match[2] ?? match[0], match[1] ?? '');
      if (calls.length > 0) found.push({ start, end, calls });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function readTagged(body: string): NamedCall[] {
  if (/<function=/.test(body)) return readFunctionTag(body);
  if (/<(?:\w+:)?invoke name="/.test(body)) return readInvoke(body);
  if (/<arg_key>/.test(body)) return readArgumentPairs(body);
  return readJson(body);
}

/** `<function=name>` with JSON or `<parameter=key>value</parameter>` inside. */
function readFunctionTag(body: string): NamedCall[] {
  return [...body.matchAll(/<function=([^>\s]+)>([\s\S]*?)(?:<\/function>|(?![\s\S]))/g)].flatMap((match) => {
    const [, name = '', inner = ''] = match;
    const parameters = [
      ...inner.matchAll(
        /<parameter=([^>\s]+)>([\s\S]*?)(?:<\/parameter>(?=\s*(?:<parameter=|$))|(?![\s\S]))/g,
      ),
    ];
    if (parameters.length > 0) return [call(name, pairs(parameters))];
    const args = inner.trim() === '' ? {} : parseLoosely(inner);
    return isJsonObject(args) ? [call(name, args)] : [];
  });
}

function readInvoke(body: string): NamedCall[] {
  const invocations = body.matchAll(
    /<(?:\w+:)?invoke name="([^"]+)">([\s\S]*?)(?:<\/(?:\w+:)?invoke>|(?![\s\S]))/g,
  );
  return [...invocations].map(([, name = '', inner = '']) => {
    const parameters = inner.matchAll(
      /<(?:\w+:)?parameter name="([^"]+)"[^>]*>([\s\S]*?)(?:<\/(?:\w+:)?parameter>(?=\s*(?:<(?:\w+:)?parameter |$))|(?![\s\S]))/g,
    );
    return call(name, pairs([...parameters]));
  });
}

/** `name`, then `<arg_key>k</arg_key><arg_value>v</arg_value>` pairs. */
function readArgumentPairs(body: string): NamedCall[] {
  const name = body.slice(0, body.indexOf('<arg_key>')).trim();
  const parameters = body.matchAll(/<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g);
  return name === '' ? [] : [call(name, pairs([...parameters]))];
}

function readMistral(body: string): NamedCall[] {
  const [, name, rest = ''] = /^\s*([A-Za-z_][\w-]*)\s*(?:\[ARGS\])?\s*(\{[\s\S]*)$/.exec(body) ?? [];
  if (name === undefined) return readJson(body);
  const args = parseLoosely(rest);
  return isJsonObject(args) ? [call(name, args)] : [];
}

function readSeparated(body: string): NamedCall[] {
  const [, name, rest = ''] =
    /(?:function)?<[|｜]tool[▁_]sep[|｜]>\s*([\w.-]+)\s*([\s\S]*)$/.exec(body) ?? [];
  if (name === undefined) return [];
  const args = parseLoosely(rest.replace(/^```\w*\s*|\s*```\s*$/g, ''));
  return isJsonObject(args) ? [call(name, args)] : [];
}

/** Reads an object or a list of them, each with a name and arguments. */
function readJson(body: string): NamedCall[] {
  const value = parseLoosely(body.replace(/^\s*```\w*\s*|\s*```\s*$/g, ''));
  const list = Array.isArray(value) ? value : [value];
  const calls = list.flatMap((item) => callIn(item) ?? []);
  return calls.length === list.length ? calls : [];
}

const nameKeys = ['name', 'tool', 'tool_name', 'function'];
const argumentKeys = ['arguments', 'parameters', 'args', 'input', 'tool_input'];
const otherKeys = ['id', 'type'];

function callIn(value: unknown): NamedCall | null {
  if (!isJsonObject(value)) return null;
  const inner = isJsonObject(value['function']) ? value['function'] : value;
  const allowed = new Set([...nameKeys, ...argumentKeys, ...otherKeys]);
  if (Object.keys(inner).some((key) => !allowed.has(key))) return null;
  const nameKey = nameKeys.find((key) => typeof inner[key] === 'string');
  const argumentKey = argumentKeys.find((key) => key in inner);
  if (nameKey === undefined || argumentKey === undefined) return null;
  const given = inner[argumentKey];
  const args = typeof given === 'string' ? parseLoosely(given) : given;
  return isJsonObject(args) ? call(String(inner[nameKey]), args) : null;
}

/** The answer is nothing but a call, or ends with one in a block. */
function bareJson(text: string, fence: CodeBlock | undefined): FoundCalls[] {
  if (fence) {
    const calls = readJson(fence.body);
    return calls.length > 0 ? [{ start: fence.start, end: fence.end, calls }] : [];
  }
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return [];
  const calls = readJson(trimmed);
  return calls.length > 0 ? [{ start: 0, end: text.length, calls }] : [];
}

function call(name: string, args: Record<string, unknown>): NamedCall {
  return { name: name.trim(), arguments: args };
}

function pairs(matches: RegExpMatchArray[]): Record<string, unknown> {
  return Object.fromEntries(
    matches.map(([, key = '', value = '']) => [key.trim(), value.replace(/^\r?\n|\r?\n$/g, '')]),
  );
}

/** JSON, also where a brace or two were forgotten at the end. */
function parseLoosely(text: string): unknown {
  const trimmed = text.trim();
  for (const ending of ['', '}', ']}', '}}']) {
    try {
      return JSON.parse(trimmed + ending);
    } catch {
      // Try the next ending.
    }
  }
  return undefined;
}
