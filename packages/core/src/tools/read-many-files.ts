import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { splitPlainFolders } from '@toolwright/machine/base/patterns/glob.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import { type FileReading, noteSeen } from './read/file-reading.js';
import { readContent } from './read/read-content.js';
import {
  type IgnoredCount,
  type SelectedFile,
  type Selection,
  type SkippedFile,
  selectFiles,
} from './read/select-files.js';
import type { IsHidden, SearchHost } from './search/place.js';
import { hiddenRemark } from './search/walk.js';
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

/** Reads several files at once. */
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

export interface ManyRequest extends Selection {
  /** Limit for the text of all files together. */
  maxBytes: number;
  pdfAsFile?: boolean | undefined;
}

interface ReadFile {
  path: string;
  shown: string;
  reading: FileReading;
}

export interface ManyReading {
  files: ReadFile[];
  skipped: SkippedFile[];
  excludedByDefault: number;
  ignored: IgnoredCount;
  /** Files that rules keep from the model. */
  hidden: number;
}

const MAX_FILES = 100;
const MAX_MEDIA = 10;
const MAX_NAMED = 20;
/** Enough for a few lines, whatever the number of files. */
const LEAST_SHARE = 200;
/** Room for the notice under a file that was cut. */
const NOTICE_BYTES = 120;

/**
 * Reads what was named, with the room shared fairly: the smallest file first, each may take an equal part of
 * what is left, so that small files come whole and only the long ones are cut.
 */
async function readMany(host: SearchHost, request: ManyRequest): Promise<ManyReading> {
  const selected = await selectFiles(host, request);
  const skipped = [...selected.skipped];
  const wanted = selected.files.slice(0, MAX_FILES);
  if (selected.files.length > MAX_FILES) {
    const more = selected.files.length - MAX_FILES;
    skipped.push({ what: plural(more, 'more file'), why: `at most ${MAX_FILES} are read at once` });
  }
  const sized = await bySize(host, wanted);
  const read = new Map<string, ReadFile>();
  let room = request.maxBytes;
  let media = 0;
  for (const [index, file] of sized.entries()) {
    request.signal.throwIfAborted();
    const shown = host.workspace.show(file.path);
    const heading = Buffer.byteLength(shown) + 12;
    const fair = Math.floor(room / (sized.length - index)) - heading - NOTICE_BYTES;
    const share = Math.max(LEAST_SHARE, fair);
    const reading = await readOne(host, { file, shown, share, media }, request);
    if (!('kind' in reading)) {
      skipped.push(reading);
      continue;
    }
    if (reading.kind === 'media') media += 1;
    room -= textBytes(reading) + heading;
    read.set(file.path, { path: file.path, shown, reading });
  }
  const files = wanted.flatMap(({ path }) => read.get(path) ?? []);
  const { excludedByDefault, ignored, hidden } = selected;
  return { files, skipped, excludedByDefault, ignored, hidden };
}

async function bySize(host: SearchHost, files: readonly SelectedFile[]): Promise<SelectedFile[]> {
  const sizes = await Promise.all(
    files.map(async ({ path }) => (await host.files.stat(path).catch(() => null))?.size ?? 0),
  );
  const order = files.map((file, index) => ({ file, size: sizes[index] ?? 0 }));
  return order.sort((left, right) => left.size - right.size).map(({ file }) => file);
}

interface One {
  file: SelectedFile;
  shown: string;
  share: number;
  media: number;
}

async function readOne(host: SearchHost, one: One, request: ManyRequest): Promise<FileReading | SkippedFile> {
  const { file, shown, share, media } = one;
  try {
    const reading = await readContent(host.files, {
      path: file.path,
      shown,
      maxBytes: share,
      pdfAsFile: request.pdfAsFile,
      withMedia: file.named && media < MAX_MEDIA,
      signal: request.signal,
    });
    return reading.kind === 'binary' ? { what: shown, why: `not text: ${reading.summary}` } : reading;
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { what: shown, why: error.message };
  }
}

function textBytes({ parts }: FileReading): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part.text ?? ''), 0);
}

/** Every file under its path, then what was left out and why. */
function showMany({ files, skipped, excludedByDefault, ignored, hidden }: ManyReading): Part[] {
  const parts: Part[] = [];
  const add = (text: string) => {
    const last = parts.at(-1);
    if (last?.text === undefined) parts.push({ text });
    else last.text += `${last.text.endsWith('\n') ? '' : '\n'}\n${text}`;
  };
  for (const { shown, reading } of files) {
    const [first, ...others] = reading.parts;
    add(`--- ${shown} ---\n${first?.text ?? ''}`);
    if (first && first.text === undefined) parts.push(first);
    parts.push(...others.map((part) => ({ ...part })));
  }
  const notes = [
    ...skippedNotes(skipped),
    ...defaultNote(excludedByDefault),
    ...ignoredNote(ignored),
    ...hiddenRemark(hidden),
  ];
  if (notes.length > 0) add(notes.join('\n'));
  return parts;
}

function skippedNotes(skipped: readonly SkippedFile[]): string[] {
  if (skipped.length === 0) return [];
  const named = skipped
    .slice(0, MAX_NAMED)
    .map(({ what, why }) => `- ${clipped(foreignName(what))}: ${clipped(why.replace(/\.$/, ''))}`);
  const more = skipped.length - named.length;
  return ['[Not read:', ...named, ...(more > 0 ? [`- and ${plural(more, 'more file')}`] : []), ']'];
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}

function defaultNote(count: number): string[] {
  if (count === 0) return [];
  return [
    `[${plural(count, 'file')} left out by the default excludes; use_default_excludes: false reads them.]`,
  ];
}

function ignoredNote({ count, isPart }: IgnoredCount): string[] {
  if (count === 0) return [];
  return [
    `[${isPart ? 'at least ' : ''}${plural(count, 'file')} left out by ignore files; naming a file reads it.]`,
  ];
}

function summarize({ files, skipped }: ManyReading): string {
  const bytes = files.reduce((sum, { reading }) => sum + textBytes(reading), 0);
  const rest = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  return `Read ${plural(files.length, 'file')} (${formatBytes(bytes)}${rest})`;
}
