import { isToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { SeenFiles } from './seen-files.js';
import { isSameText } from './text-plan.js';

/** A file as the user's editor shows it. */
export interface EditorText {
  path: string;
  text: string;
}

/** `saved`: the disk holds the same; `elsewhere`: no file that the tools may read. */
export type EditorTextState = 'saved' | 'unsaved' | 'elsewhere';

/**
 * The model is shown this text. Where the disk holds the same, the file counts as read; where it does not, a change of
 * the file is a conflict until the user has saved it.
 */
export async function noteEditorText(
  { path, text }: EditorText,
  { host, seen }: { host: Pick<Host, 'workspace' | 'files'>; seen?: SeenFiles | undefined },
  signal: AbortSignal,
): Promise<EditorTextState> {
  try {
    const resolved = host.workspace.resolve(path);
    if (!(await host.files.stat(resolved))) {
      seen?.setUnsaved(await host.files.realPath(resolved), { onDisk: null, text });
      return 'unsaved';
    }
    const { bytes, hash, realPath } = await host.files.read(resolved, { signal });
    const isSaved = isSameText((await decodeText(bytes))?.text ?? '', text);
    seen?.saw(realPath, isSaved ? { hash, bytes } : undefined);
    seen?.setUnsaved(realPath, isSaved ? null : { onDisk: hash, text });
    return isSaved ? 'saved' : 'unsaved';
  } catch (error) {
    if (isToolError(error)) return 'elsewhere';
    throw error;
  }
}
