import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Whereabouts } from './apart/session-apart.js';
import type { Commands } from './create-commands.js';
import { languageOf, languagesOf } from './languages/known-servers.js';
import type { Languages } from './languages/languages.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import { grammarOf } from './outline/declarations.js';
import type { Permission } from './permission/permission.js';
import type { FinishedCall } from './scheduler/call.js';
import type { Session } from './session/session.js';
import type { FormatText } from './tools/programs/format-text.js';
import type { SeenFiles } from './tools/text-change/seen-files.js';
import type { ToolRegistry } from './tools/tool-registry.js';

/** Language servers of a session: nothing is loaded before a source file is read or changed. */
export interface LanguageRoom {
  afterCall(call: FinishedCall, signal: AbortSignal): Promise<string[]>;
  /** Ends the servers; they start again when they are needed. */
  stop(): Promise<void>;
}

/** Change sets that were committed lately, by id. */
export type RecentChanges = Map<string, ChangeSet>;

const MOST_REMEMBERED = 64;

/** The session, which also remembers the last change sets. */
export function rememberingChanges(session: Session, recent: RecentChanges): Session {
  return {
    ...session,
    async recordChanges(changeSet, origin) {
      await session.recordChanges(changeSet, origin);
      recent.set(changeSet.id, changeSet);
      for (const id of recent.keys()) {
        if (recent.size <= MOST_REMEMBERED) break;
        recent.delete(id);
      }
    },
  };
}

interface LanguageRoomNeeds {
  host: Host;
  state: State;
  environment: Environment;
  commands: Commands;
  objects: BlobSource;
  permission: Permission;
  registry: ToolRegistry;
  whereabouts: Whereabouts;
  recent: RecentChanges;
  changes: Changes;
  seen?: SeenFiles | undefined;
}

export function openLanguages(
  { languages: options = {}, trusted = false, forModel = false }: ToolboxOptions,
  { recent, ...needs }: LanguageRoomNeeds,
): LanguageRoom {
  const known = languagesOf(options);
  const isEnabled = forModel && options.enabled !== false;
  const commit = async (planned: PlannedChanges, signal: AbortSignal): Promise<string> =>
    (await needs.changes.commit(planned, { signal })).id;
  let loading: Promise<Languages> | null = null;
  const isSource = (path: string): boolean => languageOf(path, known) !== undefined;
  const load = async (): Promise<Languages> => {
    const { createLanguages } = await import('./languages/languages.js');
    const { host, state, environment, commands, objects, permission } = needs;
    return createLanguages({
      ...{ host, state, environment, objects, trusted, options },
      processes: commands.processes,
      sandbox: commands.sandbox,
      hiddenPaths: commands.shell.hiddenPaths,
      hidden: (path) => permission.hides(path),
      viewFolder: () => needs.whereabouts.view?.folder ?? '',
      onServer: () => void offerCode(),
    });
  };
  /** The code tool comes with the first server that works. */
  async function offerCode(): Promise<void> {
    const { CodeTool } = await import('./tools/code/code.js');
    const { host, registry, seen, permission } = needs;
    const languages = await loading;
    if (registry.find('code') || !languages) return;
    const hidden = (path: string): boolean => permission.hides(path);
    registry.registerTool(new CodeTool(host, { languages, commit, seen, hidden }), { kind: 'builtin' });
  }
  /** The map comes with the first source file that the model looks at. */
  async function offerMap(): Promise<void> {
    const { RepoMapTool } = await import('./tools/read/repo-map.js');
    const { host, registry, seen, permission } = needs;
    if (!registry.find('repo_map'))
      registry.registerTool(new RepoMapTool(host, { seen, hidden: permission.hides }), { kind: 'builtin' });
  }
  /** The tool for notebooks comes with the first notebook. */
  async function offerNotebooks(): Promise<void> {
    const { EditNotebookTool } = await import('./tools/notebook/edit-notebook.js');
    const { host, registry, seen, permission } = needs;
    if (!registry.find('edit_notebook'))
      registry.registerTool(new EditNotebookTool(host, { commit, seen, hidden: permission.hides }), {
        kind: 'builtin',
      });
  }
  let hasMap = !forModel;
  let hasNotebooks = !forModel;
  return {
    async afterCall({ effects, changeSet }, signal) {
      const changes = changeSet === undefined ? undefined : recent.get(changeSet);
      const paths = changes?.changes ?? effects.filter((effect) => 'path' in effect);
      if (!hasMap && paths.some(({ path }) => grammarOf(path))) {
        hasMap = true;
        await offerMap();
      }
      if (!hasNotebooks && paths.some(({ path }) => path.endsWith('.ipynb'))) {
        hasNotebooks = true;
        await offerNotebooks();
      }
      if (!isEnabled || (loading === null && !paths.some(({ path }) => isSource(path)))) return [];
      return (await (loading ??= load())).afterCall({ effects, changes }, signal);
    },
    async stop() {
      await (await loading)?.stop();
    },
  };
}

/** Formats changed files with a program of the project, where the settings want it and the user trusts the folder. */
export function formatOf(
  { languages = {}, trusted = false }: ToolboxOptions,
  { host, commands }: Pick<LanguageRoomNeeds, 'host' | 'commands'>,
): FormatText | undefined {
  if (!languages.format || !trusted) return undefined;
  return async (path, text, signal) => {
    const { createFormat } = await import('./tools/programs/format-text.js');
    return createFormat({ ...commands.shell, workspace: host.workspace })(path, text, signal);
  };
}
