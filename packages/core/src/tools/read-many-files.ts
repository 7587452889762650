import type { Effect } from '@toolwright/machine/base/effect.js';
import { splitPlainFolders } from '@toolwright/machine/base/patterns/glob.js';
import { noteSeen } from './read/file-reading.js';
import { readMany, showMany, summarize } from './read/read-many.js';
import type { IsHidden, SearchHost } from './search/place.js';
import type { SeenFiles } from './text-change/seen-files.js';
import { BaseTool, errorResult, type ToolResult } from './tools.js';

type ReadManyFilesParams = {
  paths: string[];
  include?: string[];
  exclude?: string[];
  recursive?: boolean;
  use_default_excludes?: boolean;
};

export interface ReadManyFilesOptions {
  /** True when the model in use takes PDF files as they are; asked at each call. */
  pdfAsFile?: () => boolean;
  /** Files that rules keep from the model. */
  hidden?: IsHidden;
  /** Remembers the files that the model has seen. */
  seen?: Pick<SeenFiles, 'saw'>;
}

/** Over all files; about as much as one window of read_file, with room for the list of what was not read. */
const MAX_BYTES = 40 * 1024;

const patterns = (description: string, maxItems: number) => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  maxItems,
  description,
});

export class ReadManyFilesTool extends BaseTool<ReadManyFilesParams> {
  constructor(
    private readonly host: SearchHost,
    private readonly options: ReadManyFilesOptions = {},
  ) {
    super({
      name: 'read_many_files',
      displayName: 'ReadManyFiles',
      effectKinds: ['read'],
      description:
        'Reads several files at once, each under its path. The room is shared: small files come whole, long ones are cut with a notice. What could not be read is listed with the reason. Ignored files are left out unless named.',
      parameterSchema: {
        type: 'object',
        properties: {
          paths: patterns(
            'Files, folders and glob patterns, relative to the workspace: "README.md", "src/**/*.ts".',
            200,
          ),
          include: patterns('More of the same.', 200),
          exclude: patterns('Patterns to leave out: "*.test.ts", "docs".', 100),
          recursive: {
            type: 'boolean',
            description: 'Whether a folder means its sub-folders too. Default: true.',
          },
          use_default_excludes: {
            type: 'boolean',
            description: 'Leave out dependencies, build output, lock files, .env. Default: true.',
          },
        },
        required: ['paths'],
      },
    });
  }

  override getDescription({ paths, include = [] }: ReadManyFilesParams): string {
    const all = [...paths, ...include];
    const more = all.length > 5 ? ` and ${all.length - 5} more` : '';
    return `Read ${all.slice(0, 5).join(', ')}${more}`;
  }

  override effects({ paths, include = [] }: ReadManyFilesParams): Effect[] {
    const read = [...paths, ...include].flatMap((entry) => this.#target(entry));
    return [...new Set(read)].map((path) => ({ kind: 'read', path }));
  }

  protected override problem({ paths, include = [] }: ReadManyFilesParams): string | null {
    return paths.length + include.length === 0 ? 'paths: name at least one file, folder or pattern.' : null;
  }

  protected override async run(params: ReadManyFilesParams, signal: AbortSignal): Promise<ToolResult> {
    const many = await readMany(this.host, {
      paths: [...params.paths, ...(params.include ?? [])],
      exclude: params.exclude,
      recursive: params.recursive,
      defaultExcludes: params.use_default_excludes,
      maxBytes: MAX_BYTES,
      pdfAsFile: this.options.pdfAsFile?.(),
      hidden: this.options.hidden,
      signal,
    });
    for (const { reading } of many.files) noteSeen(reading, this.options.seen);
    const parts = showMany(many);
    const only = parts.length === 1 ? parts[0]?.text : undefined;
    if (many.files.length === 0)
      return errorResult('not_found', `No file was read.\n${only ?? ''}`.trimEnd());
    return { llmContent: only ?? parts, returnDisplay: summarize(many) };
  }

  /** A place outside the roots, or one that rules keep from the model, is no effect: it is reported as skipped. */
  #target(entry: string): string[] {
    const { folder } = splitPlainFolders(entry);
    const isPattern = /[*?[\]{}]/.test(entry);
    try {
      const path = this.host.workspace.resolve(isPattern ? folder || '.' : entry);
      return this.options.hidden?.(path) ? [] : [path];
    } catch {
      return [];
    }
  }
}
