import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { ExtensionPlace } from './piece.js';

/** A limit for these texts: all requests carry them, and the first one is to stay below 12 kB. */
const ROOM = 512;
const MOST_NAMED = 2;

/** Context files of extensions: short ones whole, of others only where they are. */
export async function extensionNotes(
  files: readonly (ExtensionPlace & { path: string })[],
  open: (root: string) => string,
): Promise<string> {
  const whole: string[] = [];
  const named: string[] = [];
  let room = ROOM;
  for (const { name, root, path } of files) {
    const bytes = await readSmallFile(path).catch(() => null);
    const text = terminalSafe(bytes?.toString('utf8') ?? '')
      .replace(/<\/?\s*context_file/gi, (mark) => mark.replace('<', '&lt;'))
      .trim();
    if (text === '') continue;
    const marked = `<context_file extension="${name}">\n${text}\n</context_file>`;
    if (Buffer.byteLength(marked) <= room) {
      room -= Buffer.byteLength(marked);
      whole.push(marked);
    } else named.push(`${path} (extension ${name})`);
    open(root);
  }
  const more = named.length - MOST_NAMED;
  const rest = named.slice(0, MOST_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '');
  return [
    ...(whole.length > 0 ? ['Notes of extensions that the user installed:', ...whole] : []),
    ...(named.length > 0
      ? [`Longer notes of extensions; read one before you use what it is about: ${rest}`]
      : []),
  ].join('\n\n');
}
