import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { NamedCall } from '../wire/answer.js';
import { wireToolName } from '../wire/wire-names.js';
import { oneObject } from './combine.js';
import type { Dialect } from './dialects.js';
import { emitGemini } from './gemini-dialect.js';
import { emitJsonSchema } from './json-schema-dialect.js';
import { normalise, SchemaProblem } from './normalise.js';
import { plainSchema } from './plain-schema.js';
import type { Loss, Shape } from './shape.js';

/** A tool as one provider gets it. */
export interface CompiledTool {
  name: string;
  wireName: string;
  description: string;
  /** Null where the provider wants no schema for a tool without parameters. */
  schema: JsonObject | null;
  losses: Loss[];
  /** Null where no property was renamed. */
  renames: Renames | null;
}

/** A tool that this provider can't be offered, and why. */
export interface SetAside {
  name: string;
  /** The MCP server it comes from. */
  server?: string;
  reason: string;
}

export type Compilation = { tool: CompiledTool } | { setAside: SetAside };

const propertyNames: Record<Dialect, RegExp> = {
  openai: /^.{1,256}$/su,
  anthropic: /^[A-Za-z0-9_.-]{1,64}$/,
  gemini: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};

const MAX_SCHEMA_CHARACTERS = 200_000;

/** Compiles a declaration for a provider. Never throws: what can't be expressed comes back as set aside. */
export function compileTool(declaration: FunctionDeclaration, dialect: Dialect): Compilation {
  const name = declaration.name ?? '';
  try {
    if (name === '') throw new SchemaProblem('it has no name');
    return { tool: compile(name, declaration, dialect) };
  } catch (error) {
    const server = serverOf(name);
    const reason =
      error instanceof SchemaProblem ? error.message : `its schema can't be read: ${messageOf(error)}`;
    return { setAside: { name, reason, server } };
  }
}

function compile(name: string, declaration: FunctionDeclaration, dialect: Dialect): CompiledTool {
  const given = declaration.parametersJsonSchema ?? { type: 'object', properties: {} };
  if (!isJsonObject(given)) throw new SchemaProblem('its parameters are not described by an object');
  const plain = dialect === 'gemini' ? null : plainSchema(given, propertyNames[dialect]);
  const { schema, losses, renames } = plain ? { ...nothingChanged, schema: plain } : rewrite(given, dialect);
  return {
    name,
    wireName: wireToolName(name),
    description: declaration.description ?? '',
    schema: dialect === 'gemini' && schema['properties'] === undefined ? null : schema,
    losses,
    renames,
  };
}

type Rewritten = { schema: JsonObject } & Pick<CompiledTool, 'losses' | 'renames'>;

const nothingChanged: Pick<CompiledTool, 'losses' | 'renames'> = { losses: [], renames: null };

function rewrite(given: JsonObject, dialect: Dialect): Rewritten {
  const { shape, losses } = normalise(given);
  const place = { path: '', losses, propertyName: propertyNames[dialect], renames: new Map() };
  const root = asParameters(shape, losses);
  const schema =
    dialect === 'gemini'
      ? emitGemini(root, place)
      : emitJsonSchema(root, { ...place, plainPatternsOnly: dialect === 'openai' });
  const size = JSON.stringify(schema).length;
  if (size > MAX_SCHEMA_CHARACTERS) throw new SchemaProblem(`its schema takes ${size} characters`);
  return { schema, losses: tidied(losses), renames: renamesOf(place.renames) };
}

/** Arguments are always one object: a choice at the top is merged into one. */
function asParameters(shape: Shape, losses: Loss[]): Shape {
  const { anyOf, values, nullable, ...rest } = shape;
  if (shape.types.length > 0 && !shape.types.includes('object')) {
    throw new SchemaProblem(`its parameters are of type ${shape.types.join(' or ')}, not an object`);
  }
  const object: Shape = { ...rest, types: ['object'], nullable: false, limits: {} };
  if (nullable) losses.push({ path: '', what: 'null in place of the parameters is dropped' });
  if (values) losses.push({ path: '', what: 'the list of allowed parameter sets is dropped' });
  const branches = flatBranches(anyOf ?? []);
  const usable = branches.filter((branch) => branch.types.length === 0 || branch.types.includes('object'));
  if (usable.length < branches.length)
    losses.push({ path: '', what: 'forms that are not objects are dropped' });
  if (anyOf && usable.length === 0)
    throw new SchemaProblem('none of the forms of its parameters is an object');
  if (usable.length > 0)
    losses.push({ path: '', what: 'the choice between forms is merged into one and described in text' });
  return usable.length > 0 ? oneObject(object, usable) : object;
}

function flatBranches(shapes: Shape[]): Shape[] {
  return shapes.flatMap((shape) => (shape.anyOf ? flatBranches(shape.anyOf) : [shape]));
}

function tidied(losses: Loss[]): Loss[] {
  const tidy = losses.map(({ path, what }) => ({ path: path.replace(/^\./, '') || 'parameters', what }));
  return [...new Map(tidy.map((loss) => [`${loss.path}\n${loss.what}`, loss])).values()];
}

/** Names of MCP tools are `server__tool`. */
function serverOf(name: string): string | undefined {
  const at = name.indexOf('__');
  return at > 0 ? name.slice(0, at) : undefined;
}

export function describeSetAside({ name, server, reason }: SetAside): string {
  const origin = server === undefined ? '' : ` of the server ${server}`;
  return `The tool ${name || '(without a name)'}${origin} is not offered to this model: ${reason}.`;
}

/** The compiled tools of one request, with both ways of naming. */
export interface CompiledTools {
  tools: readonly CompiledTool[];
  setAside: readonly SetAside[];
  /** Arguments of an earlier call under the names the model was given. */
  wireArguments(name: string, args: Record<string, unknown>): Record<string, unknown>;
  restore(call: NamedCall): NamedCall;
}

interface Remembered {
  description: string | undefined;
  schema: unknown;
  compilation: Compilation;
}

/** Compiles each tool once; the same list gives the same object. */
export function createToolCompiler(
  dialect: Dialect,
): (tools: readonly FunctionDeclaration[]) => CompiledTools {
  const byName = new Map<string, Remembered>();
  let last: { key: Compilation[]; tools: CompiledTools } | null = null;
  return (declarations) => {
    const key = declarations.map((declaration) => {
      const { name = '', description, parametersJsonSchema: schema } = declaration;
      const known = byName.get(name);
      if (known && known.description === description && known.schema === schema) return known.compilation;
      const compilation = compileTool(declaration, dialect);
      byName.set(name, { description, schema, compilation });
      return compilation;
    });
    if (last && last.key.length === key.length && key.every((item, index) => item === last?.key[index])) {
      return last.tools;
    }
    last = { key, tools: gatherTools(key) };
    return last.tools;
  };
}

function gatherTools(compilations: readonly Compilation[]): CompiledTools {
  const tools: CompiledTool[] = [];
  const setAside: SetAside[] = [];
  const byWireName = new Map<string, CompiledTool>();
  for (const compilation of compilations) {
    if ('setAside' in compilation) setAside.push(compilation.setAside);
    else if (byWireName.has(compilation.tool.wireName))
      setAside.push({ name: compilation.tool.name, reason: 'another tool has the same name' });
    else {
      tools.push(compilation.tool);
      byWireName.set(compilation.tool.wireName, compilation.tool);
    }
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools,
    setAside,
    wireArguments: (name, args) => {
      const renames = byName.get(name)?.renames;
      return renames ? (toWire(renames, args) as Record<string, unknown>) : args;
    },
    restore: (call) => {
      const tool = byWireName.get(call.name);
      if (!tool) return call;
      const args =
        tool.renames && typeof call.arguments !== 'string'
          ? (fromWire(tool.renames, call.arguments) as Record<string, unknown>)
          : call.arguments;
      return { name: tool.name, arguments: args };
    },
  };
}

/** Names of properties that the provider does not take, and those it gets. A hash of the own name is part of a wire name, so one table serves every level. */
interface Renames {
  /** Own name to wire name. */
  forward: ReadonlyMap<string, string>;
  backward: ReadonlyMap<string, string>;
}

function renamesOf(forward: ReadonlyMap<string, string>): Renames | null {
  if (forward.size === 0) return null;
  return { forward, backward: new Map([...forward].map(([own, wire]) => [wire, own])) };
}

export function toWire({ forward }: Renames, value: unknown): unknown {
  return renamed(value, forward);
}

export function fromWire({ backward }: Renames, value: unknown): unknown {
  return renamed(value, backward);
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [names.get(key) ?? key, renamed(item, names)]);
  return Object.fromEntries(entries);
}
