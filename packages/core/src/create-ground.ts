import { resolve } from 'node:path';
import { secretsInEnvironment } from '@toolwright/machine/base/secrets/known-secrets.js';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { openChanges } from '@toolwright/machine/changes/commit.js';
import { createFiles } from '@toolwright/machine/host/files/create-files.js';
import { createKnownBytes } from '@toolwright/machine/host/files/files.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createIgnore, leavingIgnored } from '@toolwright/machine/host/ignore/ignore.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { createPlace, here } from '@toolwright/machine/host/plain-files/place.js';
import { createRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { createLog } from '@toolwright/machine/host/state/log.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { stateFolderPath } from '@toolwright/machine/host/state/state-folder.js';
import { afterLinks, createWorkspace } from '@toolwright/machine/host/workspace.js';
import type { Whereabouts } from './apart/work-in-view.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import type { Permission } from './permission/permission.js';
import type { Session } from './session/session.js';

export type Ground = ReturnType<typeof openGround>;

/** Clock, state folder, redaction, log and workspace: nothing here knows of tools. */
export function openGround(options: ToolboxOptions) {
  const environment = options.environment ?? process.env;
  const [clock, ids] = [createClock(), createIds()];
  const state = openState({
    path: resolve(options.stateFolder ?? stateFolderPath(environment)),
    host: { clock, ids },
  });
  const redactor = createRedactor([...secretsInEnvironment(environment), ...(options.secrets ?? [])]);
  const log = createLog({ path: state.pathOf('log', 'debug.log'), redactor, clock, debug: options.debug });
  const whereabouts: Whereabouts = { view: null, gathers: false };
  const workspace = createWorkspace({
    directory: options.workspace,
    include: options.include,
    place: createPlace(() => whereabouts.view),
  });
  const roots = (): string[] => workspace.roots.map(({ path }) => path);
  // A tool reads through one door what a commit wrote through another.
  const known = createKnownBytes();
  return { environment, clock, ids, state, redactor, log, whereabouts, workspace, roots, known };
}

/** The doors to files and network, each as far as the rules let it open. */
export function createHost(
  { ignoreFiles }: ToolboxOptions,
  { environment, clock, ids, log, workspace, known, state }: Ground,
  { permission }: { permission: Permission },
): Host {
  return {
    clock,
    ids,
    log,
    workspace,
    files: createFiles(workspace, { ids, policy: permission.refusal, known }),
    ignore: createIgnore({ workspace, fileNames: ignoreFiles, leftOut: [afterLinks(state.path)] }),
    ripgrep: createRipgrep({ place: workspace.place }),
    http: createHttp({ environment }),
  };
}

/** Tools leave ignored files alone, however they came by the host. Commands may change such files. */
export function hostOfTools(host: Host, { known }: Ground, { permission }: { permission: Permission }): Host {
  const policy = leavingIgnored(host, permission.refusal);
  return { ...host, files: createFiles(host.workspace, { ids: host.ids, policy, known }) };
}

/** The doors to the workspace itself, whether or not the session works apart. */
export function openReal(
  { workspace: seen, ...ground }: Ground,
  { permission }: { permission: Permission },
  session: Session,
) {
  const workspace = { ...seen, place: here };
  const files = createFiles(workspace, { ids: ground.ids, policy: permission.refusal, known: ground.known });
  const { changes, objects } = openChanges({
    ...ground,
    workspace,
    host: { ...ground, files },
    owner: session.id,
    record: session.recordChanges,
  });
  return { real: { files, changes }, objects };
}
