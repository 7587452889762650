import { relative } from 'node:path';
import { formatBytes, formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { parseGlob } from '@toolwright/machine/base/patterns/glob.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { ignoreReason } from '@toolwright/machine/host/ignore/ignore.js';
import { briefArguments, readBriefly } from './search/brief-lines.js';
import { countByFile } from './search/count-matches.js';
import { createCollector, type Matches } from './search/matches.js';
import {
  findPlace,
  fromOutput,
  type IsHidden,
  namePlace,
  placeArguments,
  type SearchHost,
  type SearchPlace,
} from './search/place.js';
import { prepareWalk, type Scope } from './search/prepare-walk.js';
import { countMatches, MAX_NAMED, renderMatches } from './search/render-matches.js';
import { countHidden, describeLeftOut } from './search/second-look.js';
import { readProblems, stoppedEarly, unreadRemarks, type WalkEnd } from './search/walk.js';
import { BaseTool, type ToolResult } from './tools.js';

type GrepParams = {
  pattern: string;
  path?: string;
  glob?: string;
  context?: number;
  case_sensitive?: boolean;
  literal?: boolean;
  files_only?: boolean;
  limit?: number;
  include_ignored?: boolean;
};

export interface GrepToolOptions {
  /** Files that rules keep from the model. */
  hidden?: IsHidden;
  /** Remembers the files of which the model has seen lines. */
  seen?: { saw(path: string): void };
}

interface GrepSearch extends Scope {
  params: GrepParams;
  query: string[];
  limit: number;
  signal: AbortSignal;
  /** Absolute path of a file that may be searched and named. */
  isWanted(path: string): boolean;
}

const MAX_PATTERN = 32_768;
const DEFAULT_LIMIT = 100;
const MAX_RECORD_BYTES = 8 * 1024 * 1024;
const SEARCH_MS = 30_000;
const LARGE_FILE_BYTES = 64 * 1024 * 1024;

/** Finds lines by a regular expression. */
export class GrepTool extends BaseTool<GrepParams> {
  constructor(
    private readonly host: SearchHost,
    private readonly options: GrepToolOptions = {},
  ) {
    super({
      name: 'grep_search',
      displayName: 'Grep',
      effectKinds: ['read'],
      description:
        'Searches file contents with ripgrep (Rust regex syntax; "\\n" in it searches across lines). Answers with ' +
        'matching lines and their numbers, grouped by file. Leaves out binary files and what .gitignore and ' +
        '.toolwrightignore name; when nothing is found it says what ignored files would match.',
      parameterSchema: {
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1, description: 'Regular expression, or text with literal.' },
          path: { type: 'string', description: 'File or folder to search. Default: the workspace.' },
          glob: {
            type: 'string',
            minLength: 1,
            description: 'Only files like "*.ts", "src/**/*.{js,ts}"; "!*.md" excludes.',
          },
          context: {
            type: 'integer',
            minimum: 0,
            maximum: 20,
            description: 'Lines around each match. Default: 0.',
          },
          case_sensitive: {
            type: 'boolean',
            description: 'Default: only if the pattern has a capital letter.',
          },
          literal: { type: 'boolean', description: 'Take the pattern as plain text. Default: false.' },
          files_only: { type: 'boolean', description: 'Only file names with counts. Default: false.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: `Matches, or files, shown. Default: ${DEFAULT_LIMIT}.`,
          },
          include_ignored: { type: 'boolean', description: 'Also search ignored files. Default: false.' },
        },
        required: ['pattern'],
      },
      nameAliases: ['search_file_content'],
      parameterAliases: { path: ['dir_path'], glob: ['include'] },
    });
  }

  override getDescription({ pattern, path, glob }: GrepParams): string {
    return `Search for ${pattern}${path === undefined ? '' : ` in ${path}`}${glob === undefined ? '' : ` (${glob})`}`;
  }

  override effects({ path }: GrepParams): Effect[] {
    return [{ kind: 'read', path: this.host.workspace.resolve(path ?? '.') }];
  }

  protected override problem({ pattern, glob }: GrepParams): string | null {
    if (pattern.includes('\0')) return "pattern: it contains a NUL character, which ripgrep can't take.";
    if (/\p{Surrogate}/u.test(pattern)) return 'pattern: it contains half of a surrogate pair.';
    if (pattern.length > MAX_PATTERN) {
      return `pattern: it is ${formatNumber(pattern.length)} characters long; at most ${formatNumber(MAX_PATTERN)} can be searched for.`;
    }
    const parsed = glob === undefined ? null : parseFilter(glob);
    return parsed && 'problem' in parsed ? `glob: it ${parsed.problem}.` : null;
  }

  protected override async run(params: GrepParams, signal: AbortSignal): Promise<ToolResult> {
    const search = await this.#prepare(params, signal);
    return params.files_only ? this.#listFiles(search) : this.#showLines(search);
  }

  async #prepare(params: GrepParams, signal: AbortSignal): Promise<GrepSearch> {
    const place = await findPlace(this.host, params.path ?? '.', this.options.hidden);
    const reason = ignoreReason(this.host, place.path, place.kind);
    if (reason !== null) throw new ToolError('denied', reason);
    const view = this.host.ignore.view();
    const isHidden = (path: string): boolean =>
      this.options.hidden?.(path, place.path) === true || view.namingRuleOf(path) !== null;
    const filter = params.glob === undefined || place.kind === 'file' ? null : parseFilter(params.glob);
    if (filter && 'problem' in filter) throw new ToolError('invalid_params', `glob: it ${filter.problem}.`);
    return {
      params,
      place,
      signal,
      query: queryArguments(params),
      limit: params.limit ?? DEFAULT_LIMIT,
      includeIgnored: params.include_ignored ?? false,
      nameSketches: filter?.nameSketches,
      hidden: isHidden,
      isWanted: (path) => (filter?.fits(path, place) ?? true) && !isHidden(path),
    };
  }

  async #showLines(search: GrepSearch): Promise<ToolResult> {
    const { matches, walked } = await this.#collectSomehow(search);
    if (matches.count === 0) return this.#nothingFound(search, walked, matches.searched);
    return this.#answer(search, matches, walked);
  }

  /** A line of hundreds of megabytes must cost neither the lines behind it nor the matches in other files. */
  async #collectSomehow(search: GrepSearch): Promise<Collected> {
    const whole = await this.#collect(search, 'whole lines').catch(unlessTooLarge);
    if (whole && whole.walked.stopped !== 'bytes') return whole;
    const brief = await this.#collect(search, 'no long lines').catch(unlessTooLarge);
    if (brief) return brief;
    const small = await this.#collect(search, 'no large files');
    const problem = `files larger than ${formatBytes(LARGE_FILE_BYTES)}, because a line in one of them is too long`;
    return { ...small, walked: { ...small.walked, problems: [...small.walked.problems, problem] } };
  }

  async #collect(search: GrepSearch, detail: Detail): Promise<Collected> {
    const { place, params, limit } = search;
    const walk = await prepareWalk(this.host, search, search.signal);
    const collector = createCollector({
      limit,
      named: MAX_NAMED,
      isWanted(output) {
        return !walk.isIgnored(output) && search.isWanted(fromOutput(place, output));
      },
    });
    const brief = detail === 'no long lines' ? readBriefly(collector) : null;
    const end = await this.host.ripgrep.run({
      args: [
        ...walk.args,
        ...(brief ? briefArguments : ['--json']),
        ...(detail === 'no large files' ? [`--max-filesize=${LARGE_FILE_BYTES}`] : []),
        `--context=${params.context ?? 0}`,
        ...search.query,
        ...placeArguments(place),
      ],
      directory: place.root,
      signal: search.signal,
      timeoutMs: SEARCH_MS,
      maxRecordBytes: MAX_RECORD_BYTES,
      onRecord: brief?.onRecord ?? collector.onRecord,
      onLongRecord: collector.onLongRecord,
    });
    brief?.finish();
    return {
      matches: collector.finish(),
      walked: { stopped: end.stopped, problems: readProblems(end, search) },
    };
  }

  #answer({ place, params, limit }: GrepSearch, matches: Matches, walked: WalkEnd): ToolResult {
    const { lines, paths } = renderMatches(matches, {
      limit,
      hasContext: (params.context ?? 0) > 0,
      show: (path) => this.host.workspace.show(fromOutput(place, path)),
    });
    for (const path of paths) this.options.seen?.saw(fromOutput(place, path));
    const found = `${countMatches(matches.count)} in ${plural(matches.fileCount, 'file')}`;
    return {
      llmContent: [...lines, ...unreadRemarks(walked)].join('\n'),
      returnDisplay: `Found ${found}`,
      forScript: {
        value: matchesForScript(matches, (path) => this.host.workspace.show(fromOutput(place, path))),
        incomplete: matches.count > limit ? tooMany(matches.count, limit) : stoppedEarly(walked),
      },
    };
  }

  async #listFiles(search: GrepSearch): Promise<ToolResult> {
    const counts = await countByFile(this.host, { ...search, timeoutMs: SEARCH_MS });
    if (counts.files.length === 0) return this.#nothingFound(search, counts, null);
    const shown = counts.files.slice(0, search.limit);
    const left = counts.files.length - shown.length;
    const lines = [
      `${countMatches(counts.count)} in ${plural(counts.files.length, 'file')}`,
      ...shown.map(({ path, count }) => `${this.host.workspace.show(path)} (${formatNumber(count)})`),
      ...(left > 0 ? [`[${plural(left, 'more file')} not shown: raise limit or narrow the search.]`] : []),
      ...unreadRemarks(counts),
    ];
    const files = counts.files.map(({ path, count }) => ({ path: this.host.workspace.show(path), count }));
    return {
      llmContent: lines.join('\n'),
      returnDisplay: `Found ${lines[0]}`,
      forScript: { value: files, incomplete: stoppedEarly(counts) },
    };
  }

  async #nothingFound(search: GrepSearch, walked: WalkEnd, searched: number | null): Promise<ToolResult> {
    if (walked.stopped === 'time') {
      throw new ToolError(
        'timeout',
        'The search reached its time limit before it found anything. Narrow it with path or glob.',
      );
    }
    const { place, params } = search;
    const where = namePlace(this.host, place);
    const lines = [
      `No matches for ${foreignText(params.pattern)} in ${where}${params.glob === undefined ? '' : ` (${foreignText(params.glob)})`}.`,
    ];
    if (searched === 0 && place.kind === 'directory') {
      lines[0] += params.glob === undefined ? ' It holds no files to search.' : ' No files fit the glob.';
    }
    const [leftOut, hidden] = await Promise.all([
      describeLeftOut(this.host, search),
      countHidden(this.host, search),
    ]);
    lines.push(...leftOut);
    if (hidden > 0) lines.push(`[${plural(hidden, 'file')} hidden by rules: not searched.]`);
    lines.push(...unreadRemarks(walked));
    return {
      llmContent: lines.join('\n'),
      returnDisplay: 'No matches',
      forScript: { value: [], incomplete: stoppedEarly(walked) },
    };
  }
}

function matchesForScript({ files }: Matches, show: (path: string) => string) {
  return files.flatMap(({ path, kept }) =>
    kept
      .flat()
      .filter(({ isMatch }) => isMatch)
      .map(({ number, text }) => ({ path: show(path), line: number, text })),
  );
}

function tooMany(count: number, limit: number): string {
  return `There are ${countMatches(count)}, and limit is ${limit}. Raise it (1000 at most), narrow the search with path or glob, or use files_only.`;
}

/** Detail that ripgrep prints of its matches. */
type Detail = 'whole lines' | 'no long lines' | 'no large files';

interface Collected {
  matches: Matches;
  walked: WalkEnd;
}

function unlessTooLarge(error: unknown): null {
  if (isToolError(error) && error.code === 'too_large') return null;
  throw error;
}

/** The search as arguments that no pattern can break out of. */
function queryArguments(params: GrepParams): string[] {
  const { pattern, literal = false, case_sensitive: caseSensitive } = params;
  const spansLines = pattern.includes('\n') || (!literal && /(?:^|[^\\])(?:\\\\)*\\n/.test(pattern));
  return [
    caseSensitive === undefined ? '--smart-case' : caseSensitive ? '--case-sensitive' : '--ignore-case',
    '--crlf',
    ...(literal ? ['--fixed-strings'] : []),
    ...(spansLines ? ['--multiline'] : []),
    `--regexp=${pattern}`,
  ];
}

export interface FileFilter {
  fits(path: string, place: SearchPlace): boolean;
  readonly nameSketches: readonly string[];
}

/**
 * A pattern without a slash is about the name alone; with one it may start from the searched folder, from the root
 * or be absolute, since models write all three. A leading `!` turns it round.
 */
function parseFilter(pattern: string): FileFilter | { problem: string } {
  const isExclusion = pattern.startsWith('!');
  const glob = parseGlob(isExclusion ? pattern.slice(1) : pattern, {
    caseSensitive: false,
    nameAtAnyDepth: true,
  });
  if ('problem' in glob) return glob;
  const fits = (path: string, { path: folder, root }: SearchPlace): boolean =>
    glob.fits(relative(folder, path)) || glob.fits(relative(root, path)) || glob.fits(path);
  return {
    fits: isExclusion ? (path, place) => !fits(path, place) : fits,
    nameSketches: isExclusion ? [] : glob.nameSketches,
  };
}
