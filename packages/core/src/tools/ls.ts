import { join } from 'node:path';
import { formatBytes, formatNumber } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { type Glob, parseGlob } from '@toolwright/machine/base/patterns/glob.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { DirectoryEntry } from '@toolwright/machine/host/files/files.js';
import { findPlace, type IsHidden, type SearchHost, type SearchPlace } from './search/place.js';
import { BaseTool, errorResult, type ToolResult } from './tools.js';

type LSParams = {
  path: string;
  ignore?: string[];
  include_ignored?: boolean;
};

export interface LSToolOptions {
  /** Entries that rules keep from the model. */
  hidden?: IsHidden;
}

interface Sorted {
  listed: DirectoryEntry[];
  ignored: DirectoryEntry[];
  matched: number;
  hidden: number;
}

const MAX_SHOWN = 500;
const MAX_NAMED = 5;

/** Lists one folder. */
export class LSTool extends BaseTool<LSParams> {
  constructor(
    private readonly host: SearchHost,
    private readonly options: LSToolOptions = {},
  ) {
    super({
      name: 'list_directory',
      displayName: 'ListDirectory',
      effectKinds: ['read'],
      description:
        'Lists what a folder holds: folders first (ending in /), then files with their sizes, links with their ' +
        'targets. Entries that .gitignore or .toolwrightignore name are only counted. For a whole tree use glob.',
      parameterSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Folder to list; "." is the workspace.' },
          ignore: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            maxItems: 50,
            description: 'Name patterns to leave out, such as "*.log".',
          },
          include_ignored: { type: 'boolean', description: 'Also list ignored entries. Default: false.' },
        },
        required: ['path'],
      },
      parameterAliases: { path: ['dir_path'] },
    });
  }

  override getDescription({ path }: LSParams): string {
    return `List ${path}`;
  }

  override effects({ path }: LSParams): Effect[] {
    return [{ kind: 'read', path: this.host.workspace.resolve(path) }];
  }

  protected override problem({ ignore = [] }: LSParams): string | null {
    for (const pattern of ignore) {
      const glob = parseGlob(pattern, { caseSensitive: true });
      if ('problem' in glob)
        return `ignore: the pattern ${JSON.stringify(pattern.slice(0, 100))} ${glob.problem}.`;
    }
    return null;
  }

  protected override async run(params: LSParams, signal: AbortSignal): Promise<ToolResult> {
    const place = await findPlace(this.host, params.path, this.options.hidden);
    const shown = this.host.workspace.show(place.path);
    if (place.kind === 'file') {
      return errorResult(
        'invalid_params',
        `${shown} is a file, not a folder. Use read_file to see its content.`,
      );
    }
    const entries = await this.host.files.list(place.path, signal);
    const sorted = this.#sort(entries, place, params);
    const lines = [
      `${shown}${shown.endsWith('/') ? '' : '/'} (${sorted.listed.length === 0 ? 'nothing to list' : countEntries(sorted.listed.length)})`,
    ];
    for (const entry of sorted.listed.slice(0, MAX_SHOWN)) lines.push(await this.#describe(entry, place));
    lines.push(...remarks(sorted));
    const paths = sorted.listed.map((entry) => this.#pathOf(entry, place));
    return {
      llmContent: lines.join('\n'),
      returnDisplay: `Listed ${countEntries(sorted.listed.length)} in ${shown}`,
      forScript: { value: paths },
    };
  }

  #pathOf({ name, kind }: DirectoryEntry, { path }: SearchPlace): string {
    return `${this.host.workspace.show(join(path, name))}${kind === 'directory' ? '/' : ''}`;
  }

  #sort(entries: readonly DirectoryEntry[], place: SearchPlace, params: LSParams): Sorted {
    const sorted: Sorted = { listed: [], ignored: [], matched: 0, hidden: 0 };
    const globs = (params.ignore ?? [])
      .map((pattern) => parseGlob(pattern, { caseSensitive: true, nameAtAnyDepth: true }))
      .filter((glob): glob is Glob => !('problem' in glob));
    const showsIgnored = params.include_ignored === true || place.isIgnored;
    const view = this.host.ignore.view();
    for (const entry of entries) {
      const path = join(place.path, entry.name);
      const kind = entry.kind === 'directory' ? 'directory' : 'file';
      if (this.host.ignore.leftOut.includes(path)) continue;
      if (this.options.hidden?.(path)) sorted.hidden += 1;
      else if (globs.some((glob) => glob.fits(entry.name))) sorted.matched += 1;
      else if (!showsIgnored && view.isIgnored(path, kind)) sorted.ignored.push(entry);
      else sorted.listed.push(entry);
    }
    sorted.listed.sort(foldersFirst);
    sorted.ignored.sort(foldersFirst);
    return sorted;
  }

  async #describe(entry: DirectoryEntry, place: SearchPlace): Promise<string> {
    const name = showName(entry);
    if (entry.kind === 'file') return `${name}  ${formatBytes(entry.size)}`;
    if (entry.kind === 'other') return `${name}  (special file)`;
    if (entry.kind === 'directory') return name;
    if (!entry.nameIsUtf8) return `${name}  (link)`;
    const target = await this.host.files.readLink(join(place.path, entry.name)).catch(() => null);
    return target === null ? `${name}  (link)` : `${name} -> ${foreignName(target)}`;
  }
}

function countEntries(count: number): string {
  return count === 1 ? '1 entry' : `${formatNumber(count)} entries`;
}

function foldersFirst(left: DirectoryEntry, right: DirectoryEntry): number {
  const byKind = Number(right.kind === 'directory') - Number(left.kind === 'directory');
  return byKind || (left.name < right.name ? -1 : 1);
}

function showName({ name, kind }: DirectoryEntry): string {
  return foreignName(kind === 'directory' ? `${name}/` : name);
}

function remarks({ listed, ignored, matched, hidden }: Sorted): string[] {
  const lines: string[] = [];
  const left = listed.length - MAX_SHOWN;
  if (left > 0) lines.push(`[${countEntries(left)} not shown: use glob with a narrower pattern.]`);
  if (ignored.length > 0) {
    const names = ignored.slice(0, MAX_NAMED).map(showName);
    const rest = ignored.length > MAX_NAMED ? ', …' : '';
    lines.push(`[${ignored.length} ignored: ${names.join(', ')}${rest}. Set include_ignored to list them.]`);
  }
  if (matched > 0) lines.push(`[${matched} left out by the ignore patterns.]`);
  if (hidden > 0) lines.push(`[${hidden} hidden by rules.]`);
  return lines;
}
