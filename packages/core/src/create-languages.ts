import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Whereabouts } from './apart/work-in-view.js';
import type { Commands } from './create-commands.js';
import { languageOf, languagesOf } from './languages/known-servers.js';
import type { Languages } from './languages/languages.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import type { Permission } from './permission/permission.js';
import type { Session } from './session/session.js';
import { fileTools } from './tools/builtin.js';
import { type AfterCall, createAfterCall, type ToolForFiles } from './tools/code/after-call.js';
import type { FormatText } from './tools/programs/format-text.js';
import type { SeenFiles } from './tools/text-change/seen-files.js';
import type { ToolRegistry } from './tools/tool-registry.js';

interface LanguageNeeds {
  host: Host;
  state: State;
  environment: Environment;
  commands: Commands;
  objects: BlobSource;
  permission: Permission;
  registry: ToolRegistry;
  whereabouts: Whereabouts;
  session: Session;
  changes: Changes;
  seen?: SeenFiles | undefined;
}

/** Language servers, and the tools that come with the files they are for: only a model has use for them. */
export function openAfterCall(options: ToolboxOptions, needs: LanguageNeeds): AfterCall {
  const { languages = {}, forModel = false } = options;
  const known = languagesOf(languages);
  const isSource = (path: string): boolean => languageOf(path, known) !== undefined;
  const isEnabled = forModel && languages.enabled !== false;
  return createAfterCall({
    recentChanges: needs.session.recentChanges,
    registry: needs.registry,
    tools: forModel ? toolsForFiles(needs) : [],
    languages: isEnabled ? { isSource, load: () => loadLanguages(options, needs) } : null,
  });
}

function toolsForFiles({ host, seen, permission, changes }: LanguageNeeds): ToolForFiles[] {
  const needs = { host, seen, hidden: permission.hides, commit: committer(changes) };
  return fileTools.map(({ name, isFor, make }) => ({ name, isFor, make: () => make(needs) }));
}

/** The code tool comes with the first server that works. */
async function loadLanguages(
  { languages: options = {}, trusted = false, pieces: { say } = {} }: ToolboxOptions,
  needs: LanguageNeeds,
): Promise<Languages> {
  const { host, state, environment, objects, commands, permission, whereabouts } = needs;
  const { createLanguages } = await import('./languages/languages.js');
  const hidden = (path: string): boolean => permission.hides(path);
  const languages = createLanguages({
    host,
    state,
    environment,
    objects,
    trusted,
    options,
    hidden,
    openProcesses: commands.openLasting,
    sandbox: commands.sandbox,
    hiddenPaths: commands.shell.hiddenPaths,
    viewFolder: () => whereabouts.view?.folder ?? '',
    say: onceEach(say ?? host.log.error),
    onServer: () => void offerCode(),
  });
  async function offerCode(): Promise<void> {
    const { CodeTool } = await import('./tools/code/code.js');
    const { registry, changes, seen } = needs;
    if (registry.find('code')) return;
    const tool = new CodeTool(host, { languages, commit: committer(changes), seen, hidden });
    registry.registerTool(tool, { kind: 'builtin' });
  }
  return languages;
}

/** Says each sentence once, however often a server is tried. */
function onceEach(say: (sentence: string) => void): (sentence: string) => void {
  const said = new Set<string>();
  return (sentence) => {
    if (!said.has(sentence)) say(sentence);
    said.add(sentence);
  };
}

/** Commits plans; gives the id of what was committed. */
export function committer(changes: Changes) {
  return async (planned: PlannedChanges, signal: AbortSignal): Promise<string> =>
    (await changes.commit(planned, { signal })).id;
}

/** Formats changed files with a program of the project, where the settings want it and the user trusts the folder. */
export function formatOf(
  { languages = {}, trusted = false }: ToolboxOptions,
  { host, commands }: Pick<LanguageNeeds, 'host' | 'commands'>,
): FormatText | undefined {
  if (!languages.format || !trusted) return undefined;
  return async (path, text, signal) => {
    const { createFormat } = await import('./tools/programs/format-text.js');
    return createFormat({ ...commands.shell, workspace: host.workspace })(path, text, signal);
  };
}
