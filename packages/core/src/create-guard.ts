import { rememberGitPrograms } from '@toolwright/machine/host/git/git-programs.js';
import type { ProtectedHere } from '@toolwright/machine/host/places/path-guard.js';
import { rememberFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { usableHome } from '@toolwright/machine/host/state/state-folder.js';
import type { Ground } from './create-ground.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import { type EarlierGrant, openSavedGrants } from './permission/grants.js';
import { openGrantsFile } from './permission/grants-file.js';
import { createPermission, type Permission } from './permission/permission.js';
import type { RuleText } from './permission/rules.js';
import { watchCodeInUse } from './tools/programs/code-in-use.js';
import type { ToolRegistry } from './tools/tool-registry.js';

export type Guard = Awaited<ReturnType<typeof openGuard>>;

/** Rules and grants, and the places they protect. */
export async function openGuard(
  options: ToolboxOptions,
  { environment, clock, ids, state, whereabouts, workspace }: Ground,
  registry: ToolRegistry,
) {
  const grants = openSavedGrants(openGrantsFile(state, { clock, ids }), workspace.directory);
  const gitPrograms = rememberGitPrograms({ workspace, environment });
  const codeInUse = watchCodeInUse({
    servers: options.configuredServers ?? options.mcp?.servers ?? [],
    ownTools: options.ownTools,
    workspace,
    path: environment['PATH'] ?? '',
  });
  const alsoProtected: ProtectedHere = { gitPrograms, codeInUse };
  const denied = Object.assign(rememberFiles(clock.now(), workspace.place), { mayHaveCopies: false });
  const ownPaths = [state.path, '/etc/toolwright', ...(options.ownFiles ?? [])];
  const permissionUnder = (rules: readonly RuleText[], earlier: EarlierGrant[] = []): Promise<Permission> =>
    createPermission({
      mode: options.approvalMode ?? 'default',
      rules,
      grants: earlier,
      useSaved: grants.use,
      now: () => clock.now(),
      workspace,
      home: usableHome(environment),
      ownPaths,
      alsoProtected,
      denied,
      originOf: (tool) => registry.find(tool)?.origin.kind,
      whereabouts,
      // A toolbox that only looks needs no view.
      asIfApart: options.onlyLooks === true && Boolean(options.apart),
      refreshCodeInUse: codeInUse.refresh,
      aliasesOf: (tool) => registry.getTool(tool)?.nameAliases ?? [],
    });
  const permission = await permissionUnder(options.rules ?? [], await grants.read());
  return { permission, permissionUnder, grants, alsoProtected, codeInUse, denied, ownPaths };
}
