import { plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { clipBytes } from '@toolwright/machine/base/truncate.js';
import type { Host } from '@toolwright/machine/host/host.js';

/** The declarations of a source file, for `read_file` with `outline: true`. Such a file does not count as read. */
export async function readOutline(
  { files }: Pick<Host, 'files'>,
  { path, shown, maxBytes, signal }: { path: string; shown: string; maxBytes: number; signal: AbortSignal },
): Promise<{ text: string; summary: string }> {
  const { bytes, hash } = await files.read(path, { signal });
  const decoded = await decodeText(bytes);
  const { outlineOf, renderOutline } = await import('../../outline/outline.js');
  const outline = decoded && (await outlineOf(path, { text: decoded.text, hash }));
  if (!outline)
    throw new ToolError(
      'failed',
      `There is no outline for ${shown}: its language is not known here, or it is too large. Read it without outline.`,
    );
  if (outline.length === 0) return { text: `${shown} declares nothing.`, summary: 'no declarations' };
  const whole = renderOutline(outline);
  const text = clipBytes(whole, maxBytes);
  const more = text.length < whole.length ? '\n[The outline continues; read the file from there.]' : '';
  const head = `[Outline of ${shown}: ${plural(outline.length, 'declaration')}, each after its line. Read lines with offset and limit.]`;
  return { text: `${head}\n${text}${more}`, summary: `outline, ${plural(outline.length, 'declaration')}` };
}
