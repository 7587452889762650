import { join } from 'node:path';
import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { type Glob, parseGlob, splitPlainFolders } from '@toolwright/machine/base/patterns/glob.js';
import type { Place } from '@toolwright/machine/host/plain-files/place.js';
import { modifiedTimes } from '@toolwright/machine/host/plain-files/regular-file.js';
import { findPlace, type IsHidden, namePlace, type SearchHost, type SearchPlace } from './search/place.js';
import { hiddenRemark, listFiles, stoppedEarly, unreadRemarks, type WalkEnd } from './search/walk.js';
import { BaseTool, errorResult, type ToolResult } from './tools.js';

type GlobParams = {
  pattern: string;
  path?: string;
  case_sensitive?: boolean;
  include_ignored?: boolean;
};

export interface GlobToolOptions {
  /** Files that rules keep from the model. */
  hidden?: IsHidden;
}

interface GlobSearch {
  place: SearchPlace;
  glob: Glob;
  /** The pattern below the place. */
  rest: string;
  includeIgnored: boolean;
}

interface FoundFiles extends WalkEnd {
  place: SearchPlace;
  /** The paths from the place on. */
  paths: string[];
  hidden: number;
}

const MAX_SHOWN = 200;
/** Beyond this many the order by time is given up: finding it would take longer than the walk. */
const MAX_SORTED = 20_000;
const SECOND_LOOK_MS = 1_000;

/** Finds files by a pattern of their paths. */
export class GlobTool extends BaseTool<GlobParams> {
  constructor(
    private readonly host: SearchHost,
    private readonly options: GlobToolOptions = {},
  ) {
    super({
      name: 'glob',
      displayName: 'Glob',
      effectKinds: ['read'],
      description:
        'Finds files by name pattern, newest first. Patterns know *, ?, [a-z], {a,b} and ** for any folders: ' +
        '"src/**/*.ts", "**/*.{test,spec}.js". Leaves out what .gitignore and .toolwrightignore name.',
      parameterSchema: {
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1, description: 'Pattern, relative to path, or absolute.' },
          path: { type: 'string', description: 'Folder to look in. Default: the workspace.' },
          case_sensitive: { type: 'boolean', description: 'Default: false.' },
          include_ignored: { type: 'boolean', description: 'Also find ignored files. Default: false.' },
        },
        required: ['pattern'],
      },
      parameterAliases: { path: ['dir_path'] },
    });
  }

  override getDescription({ pattern, path }: GlobParams): string {
    return `Find files that match ${pattern}${path === undefined ? '' : ` in ${path}`}`;
  }

  override effects(params: GlobParams): Effect[] {
    return [{ kind: 'read', path: this.#start(params).folder }];
  }

  protected override problem({ pattern }: GlobParams): string | null {
    const glob = parseGlob(pattern, { caseSensitive: true });
    if ('problem' in glob) return `pattern: it ${glob.problem}.`;
    if (splitPlainFolders(pattern).rest.split('/').includes('..')) {
      return 'pattern: ".." may appear only before the first wildcard. Name the folder with path instead.';
    }
    return null;
  }

  protected override async run(params: GlobParams, signal: AbortSignal): Promise<ToolResult> {
    const { folder, rest } = this.#start(params);
    const place = await findPlace(this.host, folder, this.options.hidden);
    if (place.kind === 'file') {
      return errorResult(
        'invalid_params',
        `${this.host.workspace.show(place.path)} is a file, not a folder to look in.`,
      );
    }
    const glob = parseGlob(rest, { caseSensitive: params.case_sensitive ?? false });
    if ('problem' in glob) return errorResult('invalid_params', `pattern: it ${glob.problem}.`);
    const search = { place, glob, rest, includeIgnored: params.include_ignored ?? false };
    const found = await this.#find(search, signal);
    return found.paths.length > 0 ? this.#answer(found, signal) : this.#nothingFound(search, found, signal);
  }

  /** The plain folders at the start of the pattern are walked to, not searched for. */
  #start({ pattern, path }: GlobParams): { folder: string; rest: string } {
    const base = this.host.workspace.resolve(path ?? '.');
    const { folder, rest } = splitPlainFolders(pattern);
    if (folder === '') return { folder: base, rest };
    return {
      folder: this.host.workspace.resolve(folder.startsWith('/') ? folder : join(base, folder)),
      rest,
    };
  }

  async #find(search: GlobSearch, signal: AbortSignal, timeoutMs?: number): Promise<FoundFiles> {
    const { place, glob, rest } = search;
    const paths: string[] = [];
    let hidden = 0;
    const end = await listFiles(this.host, {
      place,
      includeIgnored: search.includeIgnored,
      nameSketches: glob.nameSketches,
      hidden: this.options.hidden,
      maxDepth: rest.includes('/') || rest.includes('**') ? undefined : 1,
      timeoutMs,
      signal,
      accept: glob.fits,
      onFile: (path, inside) => {
        if (this.options.hidden?.(path, place.path)) hidden += 1;
        else paths.push(inside);
        return true;
      },
    });
    return { ...end, place, paths, hidden };
  }

  async #answer(found: FoundFiles, signal: AbortSignal): Promise<ToolResult> {
    const total = found.paths.length;
    const isSorted = total <= MAX_SORTED;
    const sorted = isSorted ? await newestFirst(found, this.host.workspace.place, signal) : null;
    const shown = sorted?.slice(0, MAX_SHOWN) ?? firstByName(found.paths);
    const order = isSorted ? 'newest first' : 'by name: too many to order by time';
    const lines = [`${plural(total, 'file')} (${order})`, ...this.#show(found, shown)];
    if (total > shown.length) {
      const left = formatNumber(total - shown.length);
      lines.push(`[${left} more not shown: use a narrower pattern or path.]`);
    }
    lines.push(...hiddenRemark(found.hidden), ...unreadRemarks(found));
    const all = (): string[] => this.#show(found, sorted ?? found.paths);
    return {
      llmContent: lines.join('\n'),
      returnDisplay: `Found ${lines[0]}`,
      forScript: {
        // Read by scripts alone: naming a hundred thousand files takes longer than finding them.
        get value() {
          return all();
        },
        incomplete: stoppedEarly(found),
      },
    };
  }

  async #nothingFound(search: GlobSearch, found: FoundFiles, signal: AbortSignal): Promise<ToolResult> {
    const where = namePlace(this.host, search.place);
    const lines = [`No files match ${search.rest} in ${where}.`];
    if (!search.includeIgnored && !search.place.isIgnored) {
      const ignored = await this.#find({ ...search, includeIgnored: true }, signal, SECOND_LOOK_MS);
      lines.push(...this.#ignoredRemark(ignored));
    }
    const named = await this.host.files.stat(join(search.place.path, search.rest)).catch(() => null);
    if (named?.kind === 'directory') {
      lines.push(`${search.rest} is a folder: ${search.rest}/** finds the files in it.`);
    } else if (!search.rest.includes('/') && !search.rest.includes('**')) {
      lines.push(`Only files directly in ${where} were looked at; **/${search.rest} looks at any depth.`);
    }
    lines.push(...hiddenRemark(found.hidden), ...unreadRemarks(found));
    return {
      llmContent: lines.join('\n'),
      returnDisplay: 'No files found',
      forScript: { value: [], incomplete: stoppedEarly(found) },
    };
  }

  #show({ place }: FoundFiles, paths: readonly string[]): string[] {
    return paths.map((path) => this.host.workspace.show(join(place.path, path)));
  }

  #ignoredRemark(found: FoundFiles): string[] {
    const { paths, stopped } = found;
    if (paths.length === 0) return [];
    const least = stopped === null ? '' : 'at least ';
    const examples = this.#show(found, firstByName(paths).slice(0, 3));
    return [
      `But ${least}${plural(paths.length, 'ignored file')} would match (${examples.join(', ')}${paths.length > 3 ? ', …' : ''}): set include_ignored to list them.`,
    ];
  }
}

async function newestFirst(
  { place, paths }: FoundFiles,
  { at }: Place,
  signal: AbortSignal,
): Promise<string[]> {
  const times = await modifiedTimes(
    paths.map((path) => at(join(place.path, path))),
    signal,
  );
  const order = paths.map((_, index) => index);
  order.sort((left, right) => times[right]! - times[left]! || (paths[left]! < paths[right]! ? -1 : 1));
  return order.map((index) => paths[index]!);
}

/** Gives the first names in order, as many as are shown, without sorting them all. */
function firstByName(paths: readonly string[]): string[] {
  let first: string[] = [];
  let last: string | null = null;
  for (const path of paths) {
    if (last !== null && path > last) continue;
    first.push(path);
    if (first.length < 2 * MAX_SHOWN) continue;
    first = first.sort().slice(0, MAX_SHOWN);
    last = first.at(-1) ?? null;
  }
  return first.sort().slice(0, MAX_SHOWN);
}
