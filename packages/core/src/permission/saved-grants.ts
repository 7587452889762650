import type { GrantsFile } from '@toolwright/machine/host/state/grants-file.js';
import type { EarlierGrant, Grant } from './grants.js';
import type { Permission } from './permission.js';

/** Grants that outlive a session, as one workspace sees them. */
export interface SavedGrants {
  /** The grants that hold now. */
  read(): Promise<EarlierGrant[]>;
  /** Counts one use, for every process. False when the grant no longer holds. */
  use(id: string): Promise<boolean>;
  /** Returns the id the grant is kept under. */
  save(grant: Grant): Promise<{ id: string }>;
  /** Takes a grant out of `permission`, and out of the file if it was saved. False when there is none with this id. */
  revoke(id: string, permission: Pick<Permission, 'revoke'>, signal: AbortSignal): Promise<boolean>;
}

const LIMIT_MS = 30_000;

export function openSavedGrants(file: GrantsFile, workspace: string): SavedGrants {
  return {
    async read() {
      const saved = await file.readGrants(workspace);
      return saved.map(({ id, rule, uses, expiresAt }) => ({ id, rule, uses, untilMs: expiresAt }));
    },
    use: (id) => file.useGrant(id, AbortSignal.timeout(LIMIT_MS)),
    save: ({ rule, uses, untilMs }) =>
      file.saveGrant({ rule, workspace, uses, expiresAt: untilMs }, AbortSignal.timeout(LIMIT_MS)),
    async revoke(id, permission, signal) {
      const revoked = permission.revoke(id);
      if (revoked?.scope === 'saved') await file.removeGrant(id, signal);
      return revoked !== null;
    },
  };
}
