import { plural } from '@toolwright/machine/base/amounts.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { ExtensionPlace } from './piece.js';

/** A context file of an extension. */
export interface NotesFile extends ExtensionPlace {
  path: string;
  /** Absent where the trust of a project covers it. */
  accepted?: AcceptedNotes | undefined;
}

/** Notes as the user accepted them. A file of this size and these times is taken for them; of any other the digest decides. */
export interface AcceptedNotes {
  digest: string;
  size: number;
  modifiedMs: number;
  /** The time of the latest change of anything: nobody can set it back. Absent where it was not kept. */
  changedMs?: number;
}

/** A context file of an extension that the system prompt has no room for. */
export interface ExtensionNote {
  extension: string;
  path: string;
  text: string;
}

/** Notes of an extension, and how the model comes by them. */
export interface GivenNote {
  extension: string;
  path: string;
  bytes: number;
  /** In each request; named in each request; found by a query. */
  given: 'whole' | 'named' | 'found';
}

/** Context files of extensions. */
export interface ExtensionNotes {
  /** For the system prompt; empty where there are none. */
  text: string;
  /** Notes that the text neither holds nor names. */
  left: ExtensionNote[];
  /** All of them, for people. */
  given: GivenNote[];
  /** Folders of the extensions that have notes. */
  roots: string[];
  /** Extensions whose notes are not what was accepted, and are left out. */
  changed: string[];
}

export interface ExtensionNotesNeeds {
  /** Bytes for the text. */
  room: number;
  /** Bytes that a text takes where it is sent. */
  bytesOf(text: string): number;
  /** Throws for a file of an extension whose folder is not what was accepted; see `ExtensionDigests`. */
  requireAccepted(path: string): Promise<void>;
}

const HEADING = 'Notes of extensions that the user installed:';
const MOST_NAMED = 2;

/** Short ones whole, of others where they are, and how the rest is found. */
export async function extensionNotes(
  files: readonly NotesFile[],
  { room, bytesOf, requireAccepted }: ExtensionNotesNeeds,
): Promise<ExtensionNotes> {
  const whole: string[] = [];
  const given: GivenNote[] = [];
  const longer: ExtensionNote[] = [];
  const roots: string[] = [];
  const changed: string[] = [];
  for (const { name, root, path, accepted } of files) {
    const written = (await readSmallFile(path).catch(() => null))?.toString('utf8') ?? '';
    const isSame = accepted ? await isAccepted(path, written, accepted) : await passes(requireAccepted(path));
    if (!isSame) {
      changed.push(name);
      continue;
    }
    const text = withoutMarks(written);
    if (text === '') continue;
    roots.push(root);
    const marked = `<context_file extension="${name}">\n${text}\n</context_file>`;
    const sentence = howToFind([], files.length, true);
    const isWhole = bytesOf(paragraphs([HEADING, ...whole, marked, sentence])) <= room;
    if (isWhole) whole.push(marked);
    else longer.push({ extension: name, path, text });
    given.push({ extension: name, path, bytes: Buffer.byteLength(text), given: isWhole ? 'whole' : 'found' });
  }
  const heading = whole.length > 0 ? [HEADING] : [];
  for (let named = Math.min(MOST_NAMED, longer.length); ; named--) {
    const sentence = howToFind(longer.slice(0, named), longer.length - named, named + whole.length > 0);
    const text = paragraphs([...heading, ...whole, sentence]);
    if (named > 0 && bytesOf(text) > room) continue;
    const places = longer.slice(0, named).map(({ path }) => path);
    for (const note of given) if (places.includes(note.path)) note.given = 'named';
    return { text, left: longer.slice(named), given, roots, changed };
  }
}

export async function acceptNotes(path: string, text: string): Promise<AcceptedNotes> {
  return { digest: await digestOf(text), ...stampOf(path) };
}

async function isAccepted(path: string, text: string, accepted: AcceptedNotes): Promise<boolean> {
  const now = stampOf(path);
  if ((['size', 'modifiedMs', 'changedMs'] as const).every((name) => now[name] === accepted[name]))
    return true;
  return (await digestOf(text)) === accepted.digest;
}

/** True unless it is refused. */
function passes(required: Promise<void>): Promise<boolean> {
  return required.then(
    () => true,
    () => false,
  );
}

function stampOf(path: string): Omit<AcceptedNotes, 'digest'> {
  const { size = 0, modifiedMs = 0, changedMs = 0 } = lookAtSync(path) ?? {};
  return { size, modifiedMs: Math.floor(modifiedMs), changedMs: Math.floor(changedMs) };
}

/** Loads the module when it is called: a start does without it. */
async function digestOf(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}

function withoutMarks(text: string): string {
  return terminalSafe(text)
    .replace(/<\/?\s*context_file/gi, (mark) => mark.replace('<', '&lt;'))
    .trim();
}

function howToFind(named: readonly ExtensionNote[], more: number, isMore: boolean): string {
  const places = named.map(({ extension, path }) => `${path} (extension ${extension})`).join(', ');
  const rest =
    more === 0
      ? ''
      : `${plural(more, isMore ? 'more extension' : 'extension')} with notes: find them with a query of the tool skill.`;
  if (named.length === 0) return rest;
  return `Longer notes of extensions; read one before you use what it is about: ${places}${rest && `, and ${rest}`}`;
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter(Boolean).join('\n\n');
}
