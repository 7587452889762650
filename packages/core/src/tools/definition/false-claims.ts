import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { ToolOrigin } from '../loading/tool-origin.js';

/** A tool that was seen to change files although it says otherwise. */
export interface FalseClaim {
  tool: string;
  /** The origin of the tool: another one of the same name is not blamed. */
  from: string;
  /** Files that it changed, in short; the first few. */
  changed: string[];
  /** Milliseconds since 1970. */
  seenAt: number;
}

/** Memory of false claims, in `false-claims.json` of the state folder. */
export interface FalseClaims {
  /** The claim of this tool that was found false, or null. A file that can't be read counts as empty. */
  of(tool: string, origin: ToolOrigin): Promise<FalseClaim | null>;
  remember(claim: Omit<FalseClaim, 'from'>, origin: ToolOrigin, signal: AbortSignal): Promise<void>;
  /** Called when the tool was found to keep its word. */
  forget(tool: string, origin: ToolOrigin, signal: AbortSignal): Promise<void>;
}

const MOST_CLAIMS = 100;
const MOST_CHANGED = 5;

/** Tools that said that they only read, and changed something: remembered in the state folder. */
export function openFalseClaims(state: Pick<State, 'readJson' | 'updateJson'>): FalseClaims {
  const isOther = (tool: string, origin: ToolOrigin) => (claim: FalseClaim) =>
    claim.tool !== tool || claim.from !== placeOf(origin);
  const update = (change: (claims: FalseClaim[]) => FalseClaim[], signal: AbortSignal): Promise<void> =>
    state.updateJson(
      'false-claims',
      (current) => {
        const [before, after] = [claimsIn(current), change(claimsIn(current))];
        return before.length === 0 && after.length === 0 ? null : { claims: after.slice(-MOST_CLAIMS) };
      },
      signal,
    );
  return {
    async of(tool, origin) {
      // Built-in tools and those of the embedding program are not checked by it.
      if (origin.kind === 'builtin' || origin.kind === 'library') return null;
      const claims = claimsIn(await state.readJson('false-claims').catch(() => null));
      const differs = isOther(tool, origin);
      return claims.find((claim) => !differs(claim)) ?? null;
    },
    remember({ tool, changed, seenAt }, origin, signal) {
      const claim = { tool, from: placeOf(origin), changed: changed.slice(0, MOST_CHANGED), seenAt };
      return update((claims) => [...claims.filter(isOther(tool, origin)), claim], signal);
    },
    forget: (tool, origin, signal) => update((claims) => claims.filter(isOther(tool, origin)), signal),
  };
}

function placeOf(origin: ToolOrigin): string {
  switch (origin.kind) {
    case 'file':
      return `file ${origin.path}`;
    case 'command':
      return `command ${origin.command}`;
    case 'mcp':
      return `mcp ${origin.server}`;
    default:
      return origin.kind;
  }
}

function claimsIn(data: JsonObject | null): FalseClaim[] {
  const claims = data?.['claims'];
  return Array.isArray(claims) ? claims.filter(isClaim) : [];
}

function isClaim(value: unknown): value is FalseClaim {
  return (
    isJsonObject(value) &&
    typeof value['tool'] === 'string' &&
    typeof value['from'] === 'string' &&
    typeof value['seenAt'] === 'number' &&
    Array.isArray(value['changed']) &&
    value['changed'].every((path) => typeof path === 'string')
  );
}
