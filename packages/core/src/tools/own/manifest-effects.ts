import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { ProgramAccess } from '../programs/program.js';

/** An effect as a manifest writes it; `{name}` in a path or address stands for the argument of that name. */
export type ManifestEffect =
  | { kind: 'read' | 'write' | 'delete'; path: string }
  | { kind: 'network'; url: string };

const PATH_KINDS = ['read', 'write', 'delete'];
const EXAMPLE = '{"kind": "read", "path": "{path}"} or {"kind": "network", "url": "https://example.org"}';

/** Throws with what is wrong. */
export function readEffects(value: unknown, parameters: JsonObject): ManifestEffect[] {
  if (!Array.isArray(value)) throw new Error(`"effects" must be a list of effects such as ${EXAMPLE}.`);
  return value.map((item: unknown, index) => {
    const effect = readEffect(item);
    if (!effect) throw new Error(`"effects"[${index}] is not an effect; write ${EXAMPLE}.`);
    const known = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
    const unknown = namesIn(target(effect)).find((name) => !Object.hasOwn(known, name));
    if (unknown !== undefined)
      throw new Error(`"effects"[${index}] uses {${unknown}}, but there is no parameter ${unknown}.`);
    return effect;
  });
}

function readEffect(item: unknown): ManifestEffect | null {
  if (!isJsonObject(item)) return null;
  const { kind, path, url } = item;
  if (PATH_KINDS.includes(String(kind)) && typeof path === 'string' && path !== '')
    return { kind: kind as 'read', path };
  return kind === 'network' && typeof url === 'string' && /^(https?:\/\/|\{)/.test(url)
    ? { kind, url }
    : null;
}

function target(effect: ManifestEffect): string {
  return effect.kind === 'network' ? effect.url : effect.path;
}

const PLACEHOLDER = /\{(\w+)\}/g;

function namesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] as string);
}

/** Effects of one call; `resolve` refuses a path outside the workspace. An effect whose argument was not given does not happen. */
export function effectsOfCall(
  effects: readonly ManifestEffect[],
  params: JsonObject,
  resolve: (path: string) => string,
): Effect[] {
  return effects.flatMap((effect): Effect[] => {
    const text = filled(target(effect), params);
    if (text === null) return [];
    return effect.kind === 'network' ? [networkEffect(text)] : [{ kind: effect.kind, path: resolve(text) }];
  });
}

function filled(text: string, params: JsonObject): string | null {
  if (namesIn(text).some((name) => params[name] === undefined || params[name] === null)) return null;
  return text.replace(PLACEHOLDER, (_, name: string) => String(params[name]));
}

function networkEffect(text: string): Effect {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ToolError('invalid_params', `${JSON.stringify(text)} is not an http or https address.`);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return { kind: 'network', host: url.hostname, port, url: text };
}

/** Rights of a confined program: those its manifest declares and no others. */
export function accessFor(effects: readonly ManifestEffect[]): ProgramAccess {
  return {
    write: effects.some(({ kind }) => kind === 'write' || kind === 'delete'),
    network: effects.some(({ kind }) => kind === 'network'),
  };
}
