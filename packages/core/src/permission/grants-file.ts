import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** A remembered yes that outlives the session. */
export interface SavedGrant {
  v: 1;
  id: string;
  /** Written as in the settings: `Verb(pattern)` or the name of a tool. */
  rule: string;
  verdict: 'allow';
  /** Real path of the workspace it holds in; without it, everywhere. */
  workspace?: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  expiresAt?: number;
  /** Number of uses left. */
  uses?: number;
}

export type NewGrant = Pick<SavedGrant, 'rule' | 'workspace' | 'expiresAt' | 'uses'>;

export interface GrantsFile {
  /** The grants that hold now, in this workspace when one is named. */
  readGrants(workspace?: string): Promise<SavedGrant[]>;
  /** A grant for the same rule and workspace is replaced. */
  saveGrant(grant: NewGrant, signal: AbortSignal): Promise<SavedGrant>;
  /** False when there is no such grant. */
  removeGrant(id: string, signal: AbortSignal): Promise<boolean>;
  /** Counts one use of a grant that has only so many. False when it no longer holds. */
  useGrant(id: string, signal: AbortSignal): Promise<boolean>;
}

/** `grants.json` in the state folder. Whatever has expired or is used up is dropped at the next change. */
export function openGrantsFile(state: State, { clock, ids }: Pick<Host, 'clock' | 'ids'>): GrantsFile {
  const holds = (grant: SavedGrant) =>
    (grant.expiresAt === undefined || grant.expiresAt > clock.now()) &&
    (grant.uses === undefined || grant.uses > 0);

  async function change(update: (grants: SavedGrant[]) => SavedGrant[], signal: AbortSignal): Promise<void> {
    await state.updateJson(
      'grants',
      (current) => ({ ...current, grants: update(grantsIn(current, state)).filter(holds) }),
      signal,
    );
  }

  return {
    async readGrants(workspace) {
      const grants = grantsIn(await state.readJson('grants'), state).filter(holds);
      return workspace === undefined
        ? grants
        : grants.filter((grant) => grant.workspace === undefined || grant.workspace === workspace);
    },
    async saveGrant(grant, signal) {
      const saved: SavedGrant = { v: 1, id: ids.next(), verdict: 'allow', createdAt: clock.now(), ...grant };
      const differs = (other: SavedGrant) => other.rule !== saved.rule || other.workspace !== saved.workspace;
      await change((grants) => [...grants.filter(differs), saved], signal);
      return saved;
    },
    async removeGrant(id, signal) {
      let removed = false;
      const isOther = (grant: SavedGrant) => grant.id !== id;
      await change((grants) => {
        removed = !grants.every(isOther);
        return grants.filter(isOther);
      }, signal);
      return removed;
    },
    async useGrant(id, signal) {
      let used = false;
      await change((grants) => {
        return grants.map((grant) => {
          if (grant.id !== id || !holds(grant)) return grant;
          used = true;
          return grant.uses === undefined ? grant : { ...grant, uses: grant.uses - 1 };
        });
      }, signal);
      return used;
    },
  };
}

function grantsIn(data: JsonObject | null, state: State): SavedGrant[] {
  const grants = data === null ? [] : data['grants'];
  if (Array.isArray(grants) && grants.every(isGrant)) return grants;
  throw new SettingsError(
    `${state.pathOf('grants.json')} holds something that is not a grant. Repair it, or move it away to start afresh.`,
  );
}

function isGrant(value: unknown): value is SavedGrant {
  if (!isJsonObject(value)) return false;
  const optional = (key: string, type: string) => value[key] === undefined || typeof value[key] === type;
  return (
    value['v'] === 1 &&
    value['verdict'] === 'allow' &&
    typeof value['id'] === 'string' &&
    typeof value['rule'] === 'string' &&
    typeof value['createdAt'] === 'number' &&
    optional('workspace', 'string') &&
    optional('expiresAt', 'number') &&
    optional('uses', 'number')
  );
}
