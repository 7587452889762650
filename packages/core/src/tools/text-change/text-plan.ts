import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { diffFile } from '@toolwright/machine/base/diff.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { mergeTexts } from '@toolwright/machine/base/merge.js';
import {
  applyEdits,
  type DecodedText,
  decodeText,
  encodeText,
  spliceText,
  type TextEdit,
} from '@toolwright/machine/base/text-codec.js';
import { head } from '@toolwright/machine/base/truncate.js';
import { effectsOf, type PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { planChanges } from '@toolwright/machine/changes/plan.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { FormatText } from '../programs/format-text.js';
import type { IsHidden } from '../search/place.js';
import type { ConfirmationDetails } from '../tools.js';
import { refuseUnsaved } from './editor-text.js';
import type { ExactExcerpt } from './replace/replace.js';
import { rewriteText } from './replace/rewrite.js';
import type { SeenFiles, SeenVersion } from './seen-files.js';

export type TextChangeHost = Pick<Host, 'workspace' | 'files' | 'ids'>;

export interface TextChangeOptions {
  /** Carries out a planned change if every file is still as planned; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
  /** Files that the model has seen; without it files may be changed unread. */
  seen?: SeenFiles | undefined;
  /** Formats a text that is about to be written, where the settings want it. */
  format?: FormatText | undefined;
  /** True for paths whose names must not be told. */
  hidden?: IsHidden | undefined;
  /** True for a text with secrets, which the model is never shown. */
  holdsSecret?: ((text: string) => boolean) | undefined;
}

export interface TextChangeNeeds extends TextChangeOptions {
  host: TextChangeHost;
}

interface TextFile {
  bytes: Uint8Array;
  hash: string;
  mode: number;
  decoded: DecodedText;
}

/** The file a call is about, as it is now. */
export interface Target {
  path: string;
  realPath: string;
  /** The path as users and models read it. */
  shown: string;
  /** Null when there is no file yet. */
  file: TextFile | null;
  /** Why the file must be overwritten in place; null when it can be replaced as a whole. */
  inPlace: string | null;
}

export interface ExistingTarget extends Target {
  file: TextFile;
}

/** `given` is the path as the call has it: only there it shows that a folder was meant. */
export async function loadTarget(host: TextChangeHost, given: string, signal: AbortSignal): Promise<Target> {
  const path = host.workspace.resolve(given);
  const shown = host.workspace.show(path);
  const stat = await host.files.stat(path);
  if (!stat) {
    refuseFolderName(given);
    return newTarget(host, path);
  }
  if (stat.kind !== 'file') {
    const kind = stat.kind === 'directory' ? 'a folder' : 'a device, pipe or socket';
    throw new ToolError('invalid_params', `${shown} is ${kind}, not a file. Give the path of a text file.`);
  }
  const content = await host.files.read(path, { signal });
  const decoded = await decodeText(content.bytes);
  if (!decoded) {
    throw new ToolError(
      'failed',
      `${shown} is a binary file (${formatBytes(content.bytes.byteLength)}); only text can be changed here. Nothing was written.`,
    );
  }
  const { bytes, hash, realPath } = content;
  const inPlace = await host.files.whyInPlace(realPath);
  return { path, realPath, shown, file: { bytes, hash, mode: content.stat.mode, decoded }, inPlace };
}

/** Refuses a path whose last name is blank or that of a folder: nobody would find such a file again. */
function refuseFolderName(given: string): void {
  const name = given.slice(given.lastIndexOf('/') + 1);
  if (name.trim() !== '' && name !== '.' && name !== '..') return;
  const ending = name.trim() === '' && name !== '' ? 'in a name of blanks only' : 'like that of a folder';
  throw new ToolError(
    'invalid_params',
    `${JSON.stringify(given)} names no file: the path ends ${ending}. Nothing was written. Add the name of the file.`,
  );
}

async function newTarget(host: TextChangeHost, path: string): Promise<Target> {
  const realPath = await host.files.realPath(path);
  const root = host.workspace.rootOf(realPath)?.path;
  if (root !== undefined && !(await host.files.stat(root))) {
    throw new ToolError(
      'not_found',
      `The folder ${root} does not exist any more, so nothing was written. Tell the user.`,
    );
  }
  return { path, realPath, shown: host.workspace.show(path), file: null, inPlace: null };
}

/** Tells users and models that this file is not replaced as others are. */
export function inPlaceNote({ shown, inPlace }: Target): string[] {
  return inPlace === null
    ? []
    : [`${shown} is overwritten in place, not replaced, because ${inPlace}; owner and mode stay.`];
}

export function exists(target: Target): target is ExistingTarget {
  return target.file !== null;
}

/** The version of the file that the model saw last; null where no reading is required. */
export function requireSeen(target: ExistingTarget, seen: SeenFiles | undefined): SeenVersion | null {
  if (!seen) return null;
  refuseUnsaved(target, seen);
  const version = seen.lastSeen(target.realPath) ?? seen.lastSeen(target.path);
  if (version) return version;
  throw new ToolError(
    'conflict',
    `${target.shown} has not been read in this session, so it was not changed. Read it first (read_file, or grep_search for the lines in question), then repeat the call.`,
  );
}

/** The text that the model saw or its commands left; null unless it is known and others have changed the file since. */
export async function olderText(target: ExistingTarget, version: SeenVersion | null): Promise<string | null> {
  if (!version?.bytes || version.hash === target.file.hash) return null;
  return (await decodeText(version.bytes))?.text ?? null;
}

/** The text that the model has read; null unless it is known and differs from the file now, whoever changed it. */
export async function readText(target: ExistingTarget, version: SeenVersion | null): Promise<string | null> {
  const read = version?.read ?? version?.bytes;
  if (!read || Buffer.compare(read, target.file.bytes) === 0) return null;
  return (await decodeText(read))?.text ?? null;
}

/** A text file before and after, made once: shown, decided on, committed. */
export interface TextPlan {
  target: Target;
  excerpt: Excerpt;
  text(): string;
  bytes: Uint8Array;
  /** Null when nothing would change. */
  planned: PlannedChanges | null;
  /** Paragraphs for the model about how the plan came about. */
  notes: string[];
  /** The text is the user's, not the one the model proposed. */
  writtenByUser?: true;
}

const LARGEST_MODIFIABLE = 1_000_000;

/** The text before, or the part of it around the change, and what happens to it. */
export interface Excerpt {
  text: string;
  edits: TextEdit[];
  /** Number of lines of the file before `text`. */
  linesBefore: number;
}

export async function planEdits(
  host: TextChangeHost,
  target: ExistingTarget,
  edits: TextEdit[],
): Promise<TextPlan> {
  const { file } = target;
  const { text } = file.decoded;
  refuseNul(edits, text);
  const bytes = await spliceText(file.bytes, file.decoded, edits);
  const planned = await planModified(host, target, { excerpt: { text, edits, linesBefore: 0 }, bytes });
  return { ...planned, text: () => applyEdits(text, edits) };
}

/** Like `planEdits`, for a file of valid UTF-8 of which only a part was decoded. */
export async function planPart(
  host: TextChangeHost,
  target: ExistingTarget,
  { part, edits }: { part: ExactExcerpt; edits: TextEdit[] },
): Promise<TextPlan> {
  const { file } = target;
  const { start, end, text, linesBefore } = part;
  refuseNul(edits, text);
  const decoded = { ...plainUtf8, text };
  const bytes = Buffer.concat([
    file.bytes.subarray(0, start),
    await spliceText(file.bytes.subarray(start, end), decoded, edits),
    file.bytes.subarray(end),
  ]);
  const planned = await planModified(host, target, { excerpt: { text, edits, linesBefore }, bytes });
  return { ...planned, text: () => bytes.toString('utf8', file.decoded.bomLength) };
}

const plainUtf8 = { encoding: 'utf-8', bomLength: 0, exact: true, odd: [] };

async function planModified(
  host: TextChangeHost,
  target: ExistingTarget,
  { excerpt, bytes }: Pick<TextPlan, 'excerpt' | 'bytes'>,
): Promise<Omit<TextPlan, 'text'>> {
  const { text: before, edits, linesBefore } = excerpt;
  const path = host.workspace.show(target.realPath);
  const after = applyEdits(before, edits);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: target.file, after: { bytes } }],
    show: host.workspace.show,
    // From the texts: told from the bytes alone, the two versions might be taken for different encodings.
    diff: {
      kind: 'diff',
      files: [await diffFile({ path, before, after, edits, linesBefore })],
    },
  });
  const unchanged = planned.changeSet.changes.length === 0;
  return { target, excerpt, bytes, planned: unchanged ? null : planned, notes: [] };
}

export async function planCreation(host: TextChangeHost, target: Target, content: string): Promise<TextPlan> {
  const edits = [{ start: 0, end: 0, text: content }];
  refuseNul(edits, '');
  const bytes = await encodeText(content);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: null, after: { bytes } }],
    show: host.workspace.show,
  });
  const excerpt = { text: '', edits, linesBefore: 0 };
  return { target, excerpt, text: () => content, bytes, planned, notes: [] };
}

/** The whole file as the user wrote it in place of a proposal, from the version that the proposal was made from. */
export async function planWritten(host: TextChangeHost, target: Target, content: string): Promise<TextPlan> {
  const plan = exists(target)
    ? await planEdits(host, target, await rewriteText(target.file.decoded, content))
    : await planCreation(host, target, content);
  return { ...plan, writtenByUser: true };
}

/** A NUL would turn the file into one that no text tool opens again. */
function refuseNul(edits: TextEdit[], text: string): void {
  if (!edits.some((edit) => edit.text.includes('\0')) || text.includes('\0')) return;
  throw new ToolError(
    'invalid_params',
    'The new text contains a NUL character. Send it without, or as an escape of the language.',
  );
}

/** The most bytes that any encoding takes for one unit of a string. */
const MOST_BYTES_EACH = 4;

export function confirmationOf(plan: TextPlan, title: string): ConfirmationDetails {
  const { target, planned } = plan;
  if (!planned) return { kind: 'edit', title, diff: { kind: 'diff', files: [] }, effects: [] };
  const effects = effectsOf(planned.changeSet);
  // A rule may name the link as well as the file behind it.
  if (target.path !== target.realPath) {
    effects.push({ kind: 'write', path: target.path }, { kind: 'read', path: target.realPath });
  }
  // Details are the same after a journey as JSON, so no member may be undefined.
  const details: EditDetails = { kind: 'edit', title, diff: planned.diff, effects };
  if (target.inPlace !== null) details.warnings = inPlaceNote(target);
  const content = plan.bytes.byteLength <= LARGEST_MODIFIABLE * MOST_BYTES_EACH ? plan.text() : null;
  if (content !== null && content.length <= LARGEST_MODIFIABLE)
    details.modifiable = { path: target.path, content };
  return details;
}

type EditDetails = Extract<ConfirmationDetails, { kind: 'edit' }>;

/** A plan that was carried out, without a change set where nothing was left to do. */
export interface CommittedText {
  plan: TextPlan;
  /** Absent when someone else had made the same change by then. */
  changeSet?: string;
}

/** Enough for this many processes that change one file at once. */
const ATTEMPTS = 100;

/** Edits of the same call in another version of the text; null where they can't be told. */
export type Reapply = (text: string) => Promise<TextEdit[] | null>;

interface CommitPlanOptions {
  needs: TextChangeNeeds;
  reapply?: Reapply | undefined;
  signal: AbortSignal;
}

/** Commits the plan; where someone else was faster in another part of the file, both changes are brought together. */
export async function commitPlan(
  first: TextPlan & { planned: PlannedChanges },
  { needs, reapply, signal }: CommitPlanOptions,
): Promise<CommittedText> {
  let plan = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const changeSet = await needs.commit(plan.planned, signal);
      needs.seen?.saw(plan.target.realPath, { hash: hashAfter(plan.planned), bytes: plan.bytes });
      return { plan, changeSet };
    } catch (error) {
      if (!isToolError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
      const present = await loadTarget(needs.host, plan.target.path, signal);
      if (!isNewVersion(present, plan.target)) throw error;
      const merged = await mergeWithPresent(first, present, { needs, reapply, signal });
      if (!merged) throw error;
      if (!merged.planned) return { plan: merged };
      plan = { ...merged, planned: merged.planned };
    }
  }
}

function hashAfter({ changeSet: { changes } }: PlannedChanges): string | undefined {
  const [change] = changes;
  return change && 'after' in change && typeof change.after === 'object' ? change.after.hash : undefined;
}

/** A link may lead elsewhere by now, to a file that nobody was asked about. */
function isNewVersion(present: Target, planned: Target): present is ExistingTarget {
  return exists(present) && present.realPath === planned.realPath && present.file.hash !== planned.file?.hash;
}

/** From the first plan, whatever was tried since: what others did is told once, as one difference. */
async function mergeWithPresent(
  first: TextPlan,
  present: ExistingTarget,
  { needs, reapply }: CommitPlanOptions,
): Promise<TextPlan | null> {
  if (!exists(first.target)) return null;
  const base = first.target.file.decoded.text;
  const edits =
    (await reapply?.(present.file.decoded.text)) ??
    (await mergedEdits(present, { base, ours: first.text() }, needs.seen));
  const again = await planEdits(needs.host, present, edits);
  return { ...again, notes: [...first.notes, await noteOfMerge(present, base)] };
}

/** Our change of an older text as edits of the present one; a conflict shows what others changed. */
export async function mergedEdits(
  present: ExistingTarget,
  { base, ours }: { base: string; ours: string },
  seen: SeenFiles | undefined,
): Promise<TextEdit[]> {
  const theirs = present.file.decoded.text;
  const result = await mergeTexts({ base, ours, theirs });
  if (result.kind === 'merged') return result.edits;
  const changes = await changesSince(present, base);
  seen?.saw(present.realPath, present.file);
  const lines = result.lines
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(', ');
  const where = /\D/.test(lines) ? `lines ${lines}` : `line ${lines}`;
  throw new ToolError(
    'conflict',
    `${present.shown} was changed by someone else in the same part (now ${where}), so nothing was written. What they changed:\n${changes}\nTake their change into account and repeat the call.`,
  );
}

export async function noteOfMerge(present: ExistingTarget, base: string): Promise<string> {
  return `Someone else had changed other lines of ${present.shown} meanwhile; they were kept:\n${await changesSince(present, base)}`;
}

/** A short diff from an older text to the present one. */
export async function changesSince(present: ExistingTarget, base: string): Promise<string> {
  const { unified } = await diffFile({ path: present.shown, before: base, after: present.file.decoded.text });
  const body = unified.replace(/^---.*\n\+\+\+.*\n/, '').replace(/\n$/, '');
  const { text, truncated } = head(body, { maxBytes: 4_000, maxLines: 60 });
  return truncated ? `${text.trimEnd()}\n… (more; read the file)` : text;
}
