import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { takesPatches } from '../model/tools-of-families.js';
import { grammarOf } from '../outline/declarations.js';
import { ApplyPatchTool } from './apply-patch.js';
import { EditTool } from './edit.js';
import { GlobTool } from './glob.js';
import { GrepTool } from './grep.js';
import { LSTool } from './ls.js';
import type { FactStores } from './memory/fact-store.js';
import { MemoryTool } from './memoryTool.js';
import type { FormatText } from './programs/format-text.js';
import { ReadFileTool } from './read-file.js';
import { ReadManyFilesTool } from './read-many-files.js';
import type { IsHidden } from './search/place.js';
import type { SearchProvider } from './search-providers/search-provider.js';
import type { ShellNeeds } from './shell/call.js';
import { ShellTool } from './shell.js';
import type { SeenFiles } from './text-change/seen-files.js';
import type { ToolRegistry } from './tool-registry.js';
import type { Tool } from './tools.js';
import { type WebFetchNeeds, WebFetchTool } from './web-fetch.js';
import { WebSearchTool } from './web-search.js';
import { WriteFileTool } from './write-file.js';

/** Everything the built-in tools stand on. */
export interface BuiltinNeeds {
  host: Host;
  /** Carries out a planned change; returns the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
  /** Paths that rules keep from the model. */
  hidden: IsHidden;
  /** Files the model has seen; without it a change needs no reading before. */
  seen?: SeenFiles;
  /** True for a text with a secret in it, which the model is never shown. */
  holdsSecret?(text: string): boolean;
  /** Formats changed files, where the settings want it. */
  format?: FormatText | undefined;
  /** True while the model takes PDF files as they are. */
  takesPdf(): boolean;
  shell: ShellNeeds;
  web: WebFetchNeeds;
  facts: FactStores;
  /** Null where none is configured: the tool is not offered. */
  search: SearchProvider | null;
}

/** The needs of the tools that come with a file. */
export type FileToolNeeds = Pick<BuiltinNeeds, 'host' | 'commit' | 'hidden' | 'seen'>;

/** A built-in tool that is declared to the model from the first file on that it is for: the first request has no room for it. */
interface FileTool {
  name: string;
  isFor(path: string): boolean;
  make(needs: FileToolNeeds): Promise<Tool>;
}

/** A new tool that only some files need is one entry here, and imported when it is made. */
export const fileTools: readonly FileTool[] = [
  {
    name: 'repo_map',
    isFor: (path) => grammarOf(path) !== undefined,
    make: async (needs) => new (await import('./read/repo-map.js')).RepoMapTool(needs.host, needs),
  },
  {
    name: 'notebook_edit',
    isFor: (path) => path.endsWith('.ipynb'),
    make: async (needs) =>
      new (await import('./notebook/notebook-edit.js')).NotebookEditTool(needs.host, needs),
  },
];

/** Names of built-in tools that are missing without a search provider, a job, a language server, a source file, a notebook, a skill, a use for subagents, lists or questions, a setting, or for some models. */
export const namesOfAbsentTools = [
  'web_search',
  'google_web_search',
  'jobs',
  'code',
  ...fileTools.map(({ name }) => name),
  'skill',
  'agent',
  'todo',
  'ask_user',
  'script',
  'apply_patch',
  'edit',
  'replace',
];

/** The built-in tools in the order the model sees them. A new tool that every work needs is one line here. */
function builtinTools(
  { host, hidden, seen, holdsSecret, commit, format, shell, web, search, takesPdf, facts }: BuiltinNeeds,
  editing: Tool,
): Tool[] {
  const reading = { hidden, seen, pdfAsFile: takesPdf };
  return [
    new LSTool(host, { hidden }),
    new ReadFileTool(host, reading),
    new WriteFileTool(host, { commit, seen, format, holdsSecret }),
    new GrepTool(host, { hidden, seen }),
    new GlobTool(host, { hidden }),
    editing,
    new ReadManyFilesTool(host, reading),
    new ShellTool(host, shell),
    new WebFetchTool(host, web),
    ...(search ? [new WebSearchTool(search)] : []),
    new MemoryTool(facts),
  ];
}

/** The model that makes the calls. */
export interface CallingModel {
  model?: string | undefined;
  takesPdf: boolean;
}

/** Registers the built-in tools. The function that is given fits them to another model: families differ in the tool that changes files. */
export function registerBuiltin(
  needs: Omit<BuiltinNeeds, 'takesPdf'>,
  registry: Pick<ToolRegistry, 'registerTool'>,
  calling: CallingModel,
): (calling: CallingModel) => void {
  const origin = { kind: 'builtin' } as const;
  let now = calling;
  let editing = editingTool(needs, now);
  let removeEditing: () => void = () => undefined;
  for (const tool of builtinTools({ ...needs, takesPdf: () => now.takesPdf }, editing)) {
    const remove = registry.registerTool(tool, origin);
    if (tool === editing) removeEditing = remove;
  }
  return (next) => {
    now = next;
    const fitting = editingTool(needs, next);
    if (fitting.name === editing.name) return;
    editing = fitting;
    removeEditing();
    removeEditing = registry.registerTool(editing, origin);
  };
}

function editingTool(
  { host, commit, seen, format, hidden }: Omit<BuiltinNeeds, 'takesPdf'>,
  { model }: CallingModel,
): Tool {
  const options = { commit, seen, format, hidden };
  return takesPatches(model) ? new ApplyPatchTool(host, options) : new EditTool(host, options);
}
