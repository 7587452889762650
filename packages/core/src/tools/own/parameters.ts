import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';

/** A schema object of zod 4, or of any library that follows Standard Schema and can print itself as JSON Schema. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated | Promise<Validated>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: string }) => JsonObject } | undefined;
  };
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The parameters of a tool: JSON Schema, or a schema object of a library. */
export type ToolParameters = JsonSchema | StandardSchema;

/** The type of the arguments that a schema describes; `Record<string, unknown>` where the compiler can't tell. */
export type ArgumentsOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? OutputOf<Types>
  : FromJsonSchema<Schema> extends infer Found
    ? Found extends object
      ? Found
      : JsonObject
    : JsonObject;

type OutputOf<Types> =
  NonNullable<Types> extends { readonly output: infer Output extends object } ? Output : JsonObject;

type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: 'string' }
      ? string
      : Schema extends { readonly type: 'number' | 'integer' }
        ? number
        : Schema extends { readonly type: 'boolean' }
          ? boolean
          : Schema extends { readonly type: 'array'; readonly items: infer Items }
            ? FromJsonSchema<Items>[]
            : Schema extends { readonly type: 'object'; readonly properties: infer Properties }
              ? FromProperties<Properties, RequiredOf<Schema>>
              : unknown;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FromProperties<Properties, Required> = {
  [Name in keyof Properties as Name extends Required ? Name : never]: FromJsonSchema<Properties[Name]>;
} & { [Name in keyof Properties as Name extends Required ? never : Name]?: FromJsonSchema<Properties[Name]> };

/** Parameters of a tool at run time. */
export interface ReadParameters {
  jsonSchema: JsonSchema;
  /** Checks what JSON Schema can't express, and gives the arguments as the library makes them; null for plain JSON Schema. */
  parse: ((args: object) => ArgumentsVerdict | Promise<ArgumentsVerdict>) | null;
}

export type ArgumentsVerdict = { ok: true; args: object } | { ok: false; problem: string };

/** Throws a `TypeError` that says which kinds of schema are taken. */
export function readParameters(parameters: unknown): ReadParameters {
  if (isStandardSchema(parameters))
    return { jsonSchema: requireObject(asJsonSchema(parameters)), parse: parserOf(parameters) };
  if (!isJsonObject(parameters) || '_def' in parameters || '~standard' in parameters)
    throw new TypeError(WANTED);
  if (Object.values(parameters).some(isStandardSchema))
    throw new TypeError('parameters are fields without an object around them. Write z.object({ … }).');
  return { jsonSchema: requireObject(parameters), parse: null };
}

const WANTED =
  'parameters must be a JSON Schema object, or a schema of zod 4 or another library that offers `~standard.jsonSchema`.';

function requireObject(schema: JsonSchema): JsonSchema {
  if ((schema['type'] ?? 'object') === 'object') return schema;
  throw new TypeError("parameters must have type: 'object', because arguments have names.");
}

function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return isJsonObject(standard) && standard['version'] === 1 && typeof standard['validate'] === 'function';
}

function asJsonSchema(schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (!jsonSchema)
    throw new TypeError(`parameters are a schema of ${vendor} that can't print itself. ${WANTED}`);
  try {
    const { $schema: _, ...rest } = jsonSchema.input({ target: 'draft-2020-12' });
    return rest;
  } catch (error) {
    throw new TypeError(`parameters can't be printed as JSON Schema by ${vendor}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function parserOf(schema: StandardSchema): ReadParameters['parse'] {
  return (args) => {
    const validated = schema['~standard'].validate(args);
    return validated instanceof Promise ? validated.then(asParsed) : asParsed(validated);
  };
}

function asParsed(validated: Validated): ArgumentsVerdict {
  if (!validated.issues) return { ok: true, args: validated.value as object };
  return { ok: false, problem: validated.issues.map(describeIssue).join('\n') };
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const names = path.map((step) => String(typeof step === 'object' ? step.key : step));
  return names.length > 0 ? `${names.join('.')}: ${message}` : message;
}
