import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { grammarOf } from '../../outline/declarations.js';
import { outlineOf } from '../../outline/outline.js';
import { type MappedFile, rankFiles, renderMap, wordsOf } from '../../outline/repo-map.js';
import type { IsHidden } from '../search/place.js';
import { listWorkspaceFiles } from '../search/workspace-files.js';
import type { SeenFiles } from '../text-change/seen-files.js';
import { BaseTool, type ToolResult } from '../tools.js';

type RepoMapParams = { path?: string; max_tokens?: number };

interface RepoMapOptions {
  hidden: IsHidden;
  seen?: Pick<SeenFiles, 'lastSeen'> | undefined;
  mostFiles?: number;
}

/** The files that a map looks at, and how many of the folder it does not. */
interface ChosenFiles {
  paths: string[];
  left: number;
}

const DEFAULT_TOKENS = 2_000;
const MOST_FILES = 3_000;
const MOST_LISTED = 100_000;
const MOST_BYTES = 30 * 1024 * 1024;
const LARGEST_FILE = 256 * 1024;

/** Offered once the model has read a source file. */
export class RepoMapTool extends BaseTool<RepoMapParams> {
  constructor(
    private readonly host: Pick<Host, 'workspace' | 'files' | 'ripgrep' | 'ignore'>,
    private readonly options: RepoMapOptions,
  ) {
    super({
      name: 'repo_map',
      displayName: 'RepoMap',
      effectKinds: ['read'],
      description:
        'The source files of the workspace with their declarations, those first that matter most for the files read so far, ' +
        'within a number of tokens.',
      parameterSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Only this folder.' },
          max_tokens: { type: 'integer', minimum: 100, maximum: 10_000, description: 'Default: 2000.' },
        },
      },
    });
  }

  override getDescription({ path }: RepoMapParams): string {
    return path === undefined ? 'Map the source files' : `Map the source files in ${path}`;
  }

  override effects({ path = '.' }: RepoMapParams): Effect[] {
    return [{ kind: 'read', path: this.host.workspace.resolve(path) }];
  }

  protected override async run(
    { path = '.', max_tokens = DEFAULT_TOKENS }: RepoMapParams,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const folder = this.host.workspace.resolve(path);
    const { paths, left } = this.#chosen(await this.#sources(signal), folder);
    const files: MappedFile[] = [];
    let bytes = 0;
    let tooMuch = 0;
    for (const each of paths) {
      signal.throwIfAborted();
      if (bytes >= MOST_BYTES && isInside(each, folder)) tooMuch += 1;
      const mapped = bytes < MOST_BYTES ? await this.#map(each, signal) : null;
      if (!mapped) continue;
      bytes += mapped.size;
      files.push(mapped.file);
    }
    // Files elsewhere count for the order: they may use those of the folder.
    const inside = rankFiles(files).filter((file) =>
      isInside(this.host.workspace.resolve(file.path), folder),
    );
    const map =
      inside.length === 0
        ? 'There are no source files with declarations here.'
        : renderMap(inside, max_tokens);
    const unseen = left + tooMuch;
    const text =
      unseen === 0
        ? map
        : `${map}\n[${plural(unseen, 'source file')} ${unseen === 1 ? 'was' : 'were'} not looked at: too many for one map. Ask for a folder.]`;
    return { llmContent: text, returnDisplay: text };
  }

  async #sources(signal: AbortSignal): Promise<string[]> {
    const { workspace } = this.host;
    const found: string[] = [];
    await listWorkspaceFiles(this.host, {
      signal,
      onFile: (shown) => {
        const path = workspace.resolve(shown);
        if (grammarOf(shown) && !this.options.hidden(path)) found.push(path);
        return found.length < MOST_LISTED;
      },
    });
    return found.sort();
  }

  /** What the conversation has touched comes first, then the folder that was asked for, then files that may use it. */
  #chosen(found: readonly string[], folder: string): ChosenFiles {
    const { seen, mostFiles = MOST_FILES } = this.options;
    const placeOf = (path: string): number =>
      seen?.lastSeen(path) !== undefined ? 0 : isInside(path, folder) ? 1 : 2;
    const paths = [0, 1, 2].flatMap((place) => found.filter((path) => placeOf(path) === place));
    const left = paths.slice(mostFiles).filter((path) => isInside(path, folder)).length;
    return { paths: paths.slice(0, mostFiles), left };
  }

  async #map(path: string, signal: AbortSignal): Promise<{ file: MappedFile; size: number } | null> {
    const read = await this.host.files.read(path, { maxBytes: LARGEST_FILE, signal }).catch(() => null);
    const decoded = read && (await decodeText(read.bytes));
    if (!decoded) return null;
    const { text } = decoded;
    const declarations = await outlineOf(path, { text, hash: read.hash });
    if (!declarations || declarations.length === 0) return null;
    const isTouched = this.options.seen?.lastSeen(read.realPath) !== undefined;
    const shown = this.host.workspace.show(path);
    return { file: { path: shown, declarations, words: wordsOf(text), isTouched }, size: text.length };
  }
}
