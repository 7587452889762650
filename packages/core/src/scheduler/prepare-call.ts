import { isAbsolute } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { deepFreeze, isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { checkParams } from '@toolwright/machine/base/json-schema/json-schema.js';
import { ifMeant, nearest } from '@toolwright/machine/base/nearest.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { decodeArguments } from '../model/decode-arguments.js';
import type { RawCall } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { FalseClaim, FalseClaims } from '../tools/definition/false-claims.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { Asker, Tool } from '../tools/tools.js';

/** A call that is ready to be decided: tool found, params checked and frozen, effects declared. */
export interface PreparedCall {
  by: Asker;
  tool: Tool;
  params: Record<string, unknown>;
  effects: Effect[] | undefined;
  description: string;
  notes: string[];
  /** The tool was seen to change files although it says otherwise. */
  falseClaim?: FalseClaim;
  /** Files that the call is about and its parameters do not name one by one; hooks are asked about each. */
  files?: readonly string[];
  /** A hook wants the user asked, whatever the rules say. */
  hookAsks?: { reason: string; winner: Decision['winner'] };
}

interface PrepareNeeds {
  registry: ToolRegistry;
  falseClaims?: Pick<FalseClaims, 'of'>;
}

/** Parse, look up, coerce, validate. Throws a `ToolError` for whatever the model can mend. */
export async function prepareCall(
  call: RawCall,
  { registry, falseClaims }: PrepareNeeds,
  { by = 'model', signal }: { by?: Asker | undefined; signal?: AbortSignal } = {},
): Promise<PreparedCall> {
  const { tool, origin } = registry.require(call.name);
  const { args, notes } = await parseArguments(call);
  const checked = checkParams(tool.parameterSchema, args, tool.parameterAliases);
  if (!checked.ok) throw invalidParams(tool, checked.problem);
  const params = deepFreeze(checked.params);
  // Before the notes: a tool in a thread of its own must be asked first which parameters it does not know.
  await tool.prepare?.(params, signal);
  const falseClaim = origin.kind === 'builtin' ? null : await falseClaims?.of(tool.name, origin);
  return withParams(params, {
    tool,
    by,
    signal,
    notes: [...notes, ...checked.notes, ...unknownNotes(tool, params)],
    falseClaim: falseClaim ?? undefined,
  });
}

/** What a call would do, for the user; the name of the tool where it is not there or its arguments can't be read. */
export async function describeCall(
  call: RawCall,
  { registry }: Pick<PrepareNeeds, 'registry'>,
): Promise<string> {
  try {
    const { tool } = registry.require(call.name);
    const { args } = await parseArguments(call);
    const checked = checkParams(tool.parameterSchema, args, tool.parameterAliases);
    return checked.ok ? onOneLine(String(tool.getDescription(checked.params))) : call.name;
  } catch {
    return call.name;
  }
}

interface CallOrigin extends Pick<PreparedCall, 'tool' | 'by' | 'notes' | 'falseClaim'> {
  signal: AbortSignal | undefined;
}

/** A call of the tool with exactly this params object: a tool keeps plans by the identity of params. */
export async function withParams(
  params: Record<string, unknown>,
  { tool, by, notes, falseClaim, signal }: CallOrigin,
): Promise<PreparedCall> {
  deepFreeze(params);
  await tool.prepare?.(params, signal);
  const problem = tool.validateToolParams(params);
  if (problem !== null) throw invalidParams(tool, problem);
  const effects = checkedEffects(tool, await tool.effects?.(params, by, signal));
  // Effects declared by a tool with a false claim on record are not believed. A server's claims grant nothing anyway.
  const isBelieved = !falseClaim || effects?.some(({ kind }) => kind === 'mcp');
  return {
    tool,
    params,
    by,
    effects: isBelieved ? effects : undefined,
    description: onOneLine(String(tool.getDescription(params))),
    notes,
    falseClaim,
  };
}

function checkedEffects(tool: Tool, declared: Effect[] | undefined): Effect[] | undefined {
  const problem = effectsProblem(declared);
  if (problem === null) return declared;
  throw new ToolError('failed', `${tool.name} was not run, because the tool itself is broken: ${problem}.`);
}

/**
 * Adds the files behind links to the declared effects, for every tool alike: a rule about a file, and the list of
 * secret places, are about the call that reaches the file by a link, too.
 */
export async function followLinks(
  declared: readonly Effect[],
  realPath: (path: string) => Promise<string>,
): Promise<Effect[]> {
  // The paths of a command line are followed where the line is read, and may lie outside.
  if (declared.some(({ kind }) => kind === 'execute')) return [...declared];
  const effects: Effect[] = [];
  for (const effect of declared) {
    effects.push(effect);
    if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'delete') continue;
    const path = await realPath(effect.path);
    if (path !== effect.path) effects.push({ ...effect, path });
  }
  return effects;
}

const LONGEST_DESCRIPTION = 500;

/** Makes one line of a description: a line break in a name from the model must not add a line to a question. */
function onOneLine(text: string): string {
  const line = text.slice(0, LONGEST_DESCRIPTION + 1).replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ');
  return line.length > LONGEST_DESCRIPTION ? `${line.slice(0, LONGEST_DESCRIPTION)}…` : line;
}

/** Notes on unknown parameters: without them a model goes on believing that `append: true` did something. */
function unknownNotes(tool: Tool, params: Record<string, unknown>): string[] {
  const unknown = tool.unknownParameters?.(params) ?? [];
  const named = unknown.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 60)));
  if (unknown.length > named.length) named.push('…');
  return named.length === 0 ? [] : [`${tool.name} has no parameter ${named.join(', ')}; it was ignored`];
}

function invalidParams(tool: Tool, problem: string): ToolError {
  return new ToolError('invalid_params', `${tool.name} was not run; its arguments do not fit:\n${problem}`);
}

const MAX_ARGUMENT_BYTES = 32 * 1024 * 1024;

interface ParsedArguments {
  args: Record<string, unknown>;
  notes: string[];
}

/** Arguments as an object: broken JSON is repaired and noted; a call cut off by a length limit is refused. */
async function parseArguments(call: RawCall): Promise<ParsedArguments> {
  if (call.cutOff) {
    throw new ToolError(
      'invalid_params',
      `The call to ${foreignText(call.name)} was cut off by the output length limit and was not run, so nothing changed. Send it again in smaller pieces, for example several edits instead of one large one.`,
    );
  }
  if (typeof call.arguments !== 'string')
    return { args: requireObject(call.arguments, call.name), notes: [] };
  const text = call.arguments.trim();
  if (text.length > MAX_ARGUMENT_BYTES) {
    throw new ToolError(
      'too_large',
      `The arguments of ${foreignText(call.name)} are larger than 32 MB. Send less in one call.`,
    );
  }
  const decoded = decodeArguments(text);
  if (decoded !== undefined) return { args: requireObject(decoded, call.name), notes: [] };
  if (stopsInsideText(text)) {
    throw new ToolError(
      'invalid_params',
      `The arguments of ${foreignText(call.name)} stop in the middle of a text, so the call was cut off and was not run; nothing changed. Send it again whole, or in smaller pieces.`,
    );
  }
  const { jsonrepair } = await import('jsonrepair');
  try {
    const repaired: unknown = JSON.parse(jsonrepair(text));
    return {
      args: requireObject(repaired, call.name),
      notes: ['the arguments were not valid JSON and were repaired'],
    };
  } catch {
    throw new ToolError(
      'invalid_params',
      `The arguments of ${foreignText(call.name)} are not valid JSON and could not be repaired. They begin with: ${JSON.stringify(text.slice(0, 200))}. Send one JSON object.`,
    );
  }
}

/**
 * True when broken JSON ends inside a text: closing the quotes would run the call with half of what it should write.
 * A quote ends a text only where JSON could go on behind it, because models forget to escape quotes.
 */
function stopsInsideText(text: string): boolean {
  const opening = /(?:^|[{[,:])\s*(["'])/g;
  for (;;) {
    const quote = opening.exec(text)?.[1];
    if (quote === undefined) return false;
    const closing = quote === '"' ? /\\.|"(?=\s*(?:[,:}\]]|$))/gs : /\\.|'(?=\s*(?:[,:}\]]|$))/gs;
    closing.lastIndex = opening.lastIndex;
    let found = closing.exec(text);
    while (found?.[0].startsWith('\\')) found = closing.exec(text);
    if (!found) return true;
    opening.lastIndex = closing.lastIndex;
  }
}

function requireObject(value: unknown, tool: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new ToolError(
    'invalid_params',
    `The arguments of ${foreignText(tool)} must be one JSON object, got ${found}.`,
  );
}

/** The members each kind of effect must have as text. */
const KINDS: Record<Effect['kind'], readonly string[]> = {
  read: ['path'],
  write: ['path'],
  delete: ['path'],
  memory: ['path'],
  execute: ['command', 'directory'],
  network: ['host'],
  mcp: ['server', 'tool'],
  outside: ['access'],
};

/**
 * Null when a tool may declare this; else what is wrong with it, as part of a sentence. A wrong effect must not pass:
 * rules would be asked about a place that the call does not touch.
 */
export function effectsProblem(declared: unknown): string | null {
  if (declared === undefined) return null;
  if (!Array.isArray(declared)) return `its effects are ${kindOf(declared)} instead of a list`;
  for (const [index, effect] of declared.entries()) {
    const problem = effectProblem(effect);
    if (problem !== null) return `its effect ${index + 1} ${problem}`;
  }
  return null;
}

function effectProblem(effect: unknown): string | null {
  if (!isJsonObject(effect)) return `is ${kindOf(effect)} instead of an object`;
  const { kind } = effect;
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) return `has ${unknownKind(kind)}`;
  const missing = KINDS[kind as Effect['kind']].find((member) => typeof effect[member] !== 'string');
  if (missing !== undefined) return `of kind ${kind} has no ${missing}`;
  return pathProblem(effect);
}

function pathProblem({ kind, path }: JsonObject): string | null {
  if (typeof path !== 'string' || isAbsolute(path)) return null;
  return `of kind ${kind} names ${JSON.stringify(path)}, which is not an absolute path (host.workspace.resolve makes one)`;
}

function unknownKind(kind: unknown): string {
  const known = Object.keys(KINDS);
  const near = typeof kind === 'string' ? nearest(kind, known, 1) : [];
  return `no known kind: ${JSON.stringify(kind)}${ifMeant(near) || ` is none of ${known.join(', ')}`}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
