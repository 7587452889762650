import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import type { EntryState } from '@toolwright/machine/changes/change-set.js';
import { type Content, contentAt, planChanges } from '@toolwright/machine/changes/plan.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { Recording } from '../recording/recording.js';
import type { Script } from '../recording/script.js';
import type { OtherFile, ReplayReport } from './report.js';

export interface CompareFilesOptions {
  recording: Pick<Recording, 'contentOf'>;
  script: Script;
  /** Files that the session changed now, with what each was before. */
  changedNow: ReadonlyMap<string, { start: EntryState }>;
  files: Pick<Files, 'lstat' | 'read' | 'readLink'>;
  /** Ids of recorded calls that were not run again. */
  notRun: ReadonlySet<string>;
  show(path: string): string;
  signal: AbortSignal;
}

/** Files that end otherwise than in the recording. */
export async function compareFiles(
  options: CompareFilesOptions,
): Promise<{ differences: OtherFile[]; notCompared: ReplayReport['notCompared'] }> {
  const { script, changedNow, files, notRun, show, signal } = options;
  const differences: OtherFile[] = [];
  const notCompared: ReplayReport['notCompared'] = [];
  for (const path of [...new Set([...script.files.keys(), ...changedNow.keys()])].sort()) {
    const then = script.files.get(path);
    if (then && [...then.calls].some((call) => call === '' || notRun.has(call))) {
      const why = then.calls.has('')
        ? 'it was changed by the user'
        : 'a call that changed it was not run again';
      notCompared.push({ path: show(path), why });
      continue;
    }
    const wanted = then?.end ?? changedNow.get(path)!.start;
    const now = await contentOrWhyNot(files, path, signal);
    if (typeof now === 'string') notCompared.push({ path: show(path), why: now });
    else if (!isState(wanted, now)) differences.push(await otherFile(path, wanted, now, options));
  }
  return { differences, notCompared };
}

/** The content at a path as `contentAt` gives it, or a sentence where it can't be read. */
export async function contentOrWhyNot(
  files: Pick<Files, 'lstat' | 'read' | 'readLink'>,
  path: string,
  signal: AbortSignal,
): Promise<Content | null | string> {
  try {
    return await contentAt(files, path, signal);
  } catch (error) {
    if (!isToolError(error)) throw error;
    return messageOf(error);
  }
}

/** Compares an entry with a state. The right to run a file counts; the other permission bits depend on the machine. */
export function isState(state: EntryState, content: Content | null): boolean {
  if (state.kind === 'absent') return content === null;
  if (state.kind === 'symlink')
    return content !== null && 'target' in content && content.target === state.target;
  if (state.kind !== 'file' || content === null || 'target' in content) return false;
  const runs = (mode: number | undefined): boolean => ((mode ?? 0) & 0o100) !== 0;
  const sameMode =
    state.mode === undefined || content.mode === undefined || runs(state.mode) === runs(content.mode);
  return content.hash === state.hash && sameMode;
}

async function otherFile(
  path: string,
  wanted: EntryState,
  now: Content | null,
  { recording, show }: CompareFilesOptions,
): Promise<OtherFile> {
  const shown = show(path);
  const then = await contentOfState(wanted, recording);
  if (then === undefined)
    return {
      kind: 'file',
      path: shown,
      diff: '',
      why: 'its content differs; the recording does not hold the earlier one',
    };
  const { diff } = await planChanges({ id: 'difference', files: [{ path, before: then, after: now }], show });
  const why =
    wanted.kind === 'absent'
      ? 'it was absent then'
      : now === null
        ? 'it is absent now'
        : 'its content differs';
  return { kind: 'file', path: shown, diff: diff.files[0]?.unified ?? '', why };
}

/** Undefined where the bytes were not kept. */
export async function contentOfState(
  state: EntryState,
  { contentOf }: Pick<Recording, 'contentOf'>,
): Promise<Content | null | undefined> {
  if (state.kind === 'absent') return null;
  if (state.kind === 'symlink') return { target: state.target };
  if (state.kind !== 'file') return undefined;
  const bytes = await contentOf(state.hash);
  return bytes ? { bytes, hash: state.hash, mode: state.mode } : undefined;
}
