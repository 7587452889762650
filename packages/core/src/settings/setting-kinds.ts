import type { JsonObject } from '@toolwright/machine/base/json.js';

/** Kinds of settings. Types, checks, the JSON Schema and the documentation all follow from these. */
export type SettingKind =
  | { type: 'string'; pattern?: { source: string; says: string } }
  | { type: 'integer'; minimum: number; maximum: number }
  | { type: 'number'; minimum: number; maximum: number }
  | { type: 'boolean' }
  /** The strictest value stands first where a project may only be stricter. */
  | { type: 'choice'; values: readonly string[] }
  /** A list of strings; one string counts as a list of one. */
  | { type: 'list'; item?: { source: string; says: string } }
  /** A list of permission rules. */
  | { type: 'rules' }
  /** A command: one string, or the program and its arguments. */
  | { type: 'command' }
  /** An object that is handed on as it is written. */
  | { type: 'object' }
  /** Keys chosen by the user. */
  | { type: 'map'; of: SettingKind; names?: { source: string; says: string } }
  | { type: 'group'; keys: Keys; problem?: (value: Readonly<Record<string, unknown>>) => string | null };

export interface Key {
  kind: SettingKind;
  description: string;
  /** Present in the result when no one has set it. */
  default?: unknown;
  /** Changes that a trusted project may make; default: none. Inside a map, those of the map. */
  project?: 'add' | 'stricter' | 'set' | 'refuse';
  /** Other paths that are read as this one. */
  spellings?: readonly string[];
  flag?: string;
  /** Lists of several layers are put together; the others replace. */
  joined?: true;
  /** `$` has no meaning in it. */
  literal?: true;
  /** Settings of lower layers that no longer hold when this one changes. */
  resets?: readonly string[];
  /** True if the value must never appear in a message. */
  secret?: true;
}

export type Keys = Readonly<Record<string, Key>>;

export type ValueOf<K extends SettingKind> = K extends { type: 'string' }
  ? string
  : K extends { type: 'integer' | 'number' }
    ? number
    : K extends { type: 'boolean' }
      ? boolean
      : K extends { type: 'choice'; values: readonly (infer Value)[] }
        ? Value
        : K extends { type: 'list' | 'rules' }
          ? string[]
          : K extends { type: 'command' }
            ? string | string[]
            : K extends { type: 'object' }
              ? JsonObject
              : K extends { type: 'map'; of: infer Of extends SettingKind }
                ? Record<string, ValueOf<Of>>
                : K extends { type: 'group'; keys: infer G extends Keys }
                  ? GroupValue<G>
                  : never;

type WithDefault<G extends Keys> = {
  [Name in keyof G]: G[Name] extends { default: unknown } ? Name : never;
}[keyof G];

type Plain<T> = { [Name in keyof T]: T[Name] };

export type GroupValue<G extends Keys> = Plain<
  { -readonly [Name in WithDefault<G>]: ValueOf<G[Name]['kind']> } & {
    -readonly [Name in Exclude<keyof G, WithDefault<G>>]?: ValueOf<G[Name]['kind']>;
  }
>;
