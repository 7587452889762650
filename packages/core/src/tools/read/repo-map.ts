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
}

const DEFAULT_TOKENS = 2_000;
const MOST_FILES = 3_000;
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
    const found = await this.#sources(signal);
    const files: MappedFile[] = [];
    let bytes = 0;
    for (const each of found) {
      signal.throwIfAborted();
      const mapped = bytes < MOST_BYTES ? await this.#map(each, signal) : null;
      if (!mapped) continue;
      bytes += mapped.size;
      files.push(mapped.file);
    }
    // Files elsewhere count for the order: they may use those of the folder.
    const inside = rankFiles(files).filter((file) =>
      isInside(this.host.workspace.resolve(file.path), folder),
    );
    const text =
      inside.length === 0
        ? 'There are no source files with declarations here.'
        : renderMap(inside, max_tokens);
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
        return found.length < MOST_FILES;
      },
    });
    return found.sort();
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
