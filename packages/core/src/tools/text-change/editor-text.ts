import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { SeenFiles } from './seen-files.js';

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

interface ShownFile {
  realPath: string;
  shown: string;
  file: { hash: string; decoded: { text: string } } | null;
}

/**
 * Refuses to change a file whose text in the user's editor is not saved: what is written would be lost when the editor
 * saves, or the user's text when it reloads. Once the file on disk is another one, somebody has saved it.
 */
export function refuseUnsaved({ realPath, shown, file }: ShownFile, seen: SeenFiles | undefined): void {
  const unsaved = seen?.unsaved(realPath);
  if (!unsaved) return;
  const isAsItWas = (file?.hash ?? null) === unsaved.onDisk;
  if (!isAsItWas || (file !== null && isSameText(file.decoded.text, unsaved.text))) {
    seen?.setUnsaved(realPath, null);
    return;
  }
  throw new ToolError(
    'conflict',
    `${shown} is open in the user's editor with changes that are not saved, so it was not changed. Ask the user to save it, or to undo those changes and attach the file again; then repeat the call.`,
  );
}

/** Editors show texts without a byte order mark, and some with line feeds alone. */
function isSameText(one: string, other: string): boolean {
  const plain = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return one === other || plain(one) === plain(other);
}
