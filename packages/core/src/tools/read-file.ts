import { isAbsolute } from 'node:path';
import { plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { parsePageRanges } from './media/page-ranges.js';
import { noteSeen } from './read/file-reading.js';
import { findFile } from './read/find-file.js';
import { readContent } from './read/read-content.js';
import type { IsHidden } from './search/place.js';
import type { SeenFiles } from './text-change/seen-files.js';
import { BaseTool, type ToolResult } from './tools.js';

type ReadFileParams = {
  absolute_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
  outline?: boolean;
};

export interface ReadFileOptions {
  /** True when the model in use takes PDF files as they are; asked at each call. */
  pdfAsFile?: () => boolean;
  /** Files that rules keep from the model: they are not named among those that are near. */
  hidden?: IsHidden;
  /** Remembers the files that the model has seen. */
  seen?: Pick<SeenFiles, 'saw'>;
}

/**
 * The size of a window: some 12,000 tokens, a tenth of a small context. With the notices it stays below what the scheduler lets through, so
 * that a window is never cut a second time.
 */
const WINDOW_BYTES = 44 * 1024;

/** Reads one file. */
export class ReadFileTool extends BaseTool<ReadFileParams> {
  constructor(
    private readonly host: Pick<Host, 'workspace' | 'files'>,
    private readonly options: ReadFileOptions = {},
  ) {
    super({
      name: 'read_file',
      displayName: 'ReadFile',
      effectKinds: ['read'],
      description:
        'Reads a file. Text comes as it is, without line numbers, at most 2,000 lines at a time; a notice tells how to read on. Images, audio, PDF (text by page) and notebooks work too.',
      parameterSchema: {
        type: 'object',
        properties: {
          absolute_path: { type: 'string', minLength: 1, description: 'Absolute path of the file.' },
          offset: {
            type: 'integer',
            description: 'First line, from 0. Negative counts from the end: -100 reads the last 100 lines.',
          },
          limit: { type: 'integer', minimum: 1, description: 'Number of lines.' },
          pages: { type: 'string', description: 'Pages of a PDF, like "1-5,8".' },
          outline: {
            type: 'boolean',
            description: 'Only the declarations of a source file, with their lines.',
          },
        },
        required: ['absolute_path'],
      },
      parameterAliases: { absolute_path: ['file_path', 'path'] },
    });
  }

  override getDescription({ absolute_path, offset, limit, pages, outline }: ReadFileParams): string {
    if (outline) return `Read the outline of ${this.#show(absolute_path)}`;
    const from = offset === undefined || offset === 0 ? '' : ` from line ${offset < 0 ? offset : offset + 1}`;
    const lines = limit === undefined ? '' : `, ${plural(limit, 'line')}`;
    const range = pages === undefined ? '' : `, pages ${pages}`;
    return `Read ${this.#show(absolute_path)}${from}${lines}${range}`;
  }

  override effects({ absolute_path }: ReadFileParams): Effect[] {
    return [{ kind: 'read', path: this.host.workspace.resolve(absolute_path) }];
  }

  protected override problem({ pages }: ReadFileParams): string | null {
    const ranges = pages === undefined ? [] : parsePageRanges(pages);
    return typeof ranges === 'string' ? ranges : null;
  }

  protected override async run(params: ReadFileParams, signal: AbortSignal): Promise<ToolResult> {
    const { files, workspace } = this.host;
    const path = workspace.resolve(params.absolute_path);
    const shown = this.host.workspace.show(path);
    const { size } = await findFile(this.host, path, { hidden: this.options.hidden, signal });
    if (params.outline) {
      const { readOutline } = await import('./read/outline.js');
      const { text, summary } = await readOutline(this.host, { path, shown, maxBytes: WINDOW_BYTES, signal });
      return { llmContent: text, returnDisplay: `Read ${shown}: ${summary}` };
    }
    const reading = await readContent(files, {
      path,
      shown,
      size,
      offset: params.offset,
      limit: params.limit,
      pages: params.pages,
      maxBytes: WINDOW_BYTES,
      pdfAsFile: this.options.pdfAsFile?.() ?? false,
      signal,
    });
    noteSeen(reading, this.options.seen);
    const parts = isAbsolute(params.absolute_path)
      ? reading.parts
      : withNote(reading.parts, relativeNote(params.absolute_path, path));
    const only = parts.length === 1 ? parts[0]?.text : undefined;
    return {
      llmContent: only ?? parts,
      returnDisplay: `Read ${shown}: ${reading.summary}`,
      forScript: reading.forScript,
    };
  }

  /** The path as the user sees it before anything was checked: a bad one is shown as given. */
  #show(path: string): string {
    try {
      return this.host.workspace.show(this.host.workspace.resolve(path));
    } catch {
      return path;
    }
  }
}

function relativeNote(given: string, path: string): string {
  return `[${foreignName(given)} is a relative path; read as ${foreignName(path)}]`;
}

function withNote(parts: readonly Part[], note: string): Part[] {
  const [first, ...others] = parts;
  if (first?.text === undefined) return [{ text: note }, ...parts];
  const separator = first.text.endsWith('\n') ? '' : '\n';
  return [{ ...first, text: `${first.text}${separator}${note}` }, ...others];
}
