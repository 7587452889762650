import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { SearchHost } from '../search/place.js';
import { hiddenRemark } from '../search/remarks.js';
import type { FileReading } from './file-reading.js';
import { readContent } from './read-content.js';
import { type SelectedFile, type Selection, type SkippedFile, selectFiles } from './select-files.js';

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
export async function readMany(host: SearchHost, request: ManyRequest): Promise<ManyReading> {
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
  return { files, skipped, excludedByDefault: selected.excludedByDefault, hidden: selected.hidden };
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
export function showMany({ files, skipped, excludedByDefault, hidden }: ManyReading): Part[] {
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
  const notes = [...skippedNotes(skipped), ...defaultNote(excludedByDefault), ...hiddenRemark(hidden)];
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

export function summarize({ files, skipped }: ManyReading): string {
  const bytes = files.reduce((sum, { reading }) => sum + textBytes(reading), 0);
  const rest = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  return `Read ${plural(files.length, 'file')} (${formatBytes(bytes)}${rest})`;
}
