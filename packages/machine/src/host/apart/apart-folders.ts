import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, orNull, SettingsError } from '../../base/errors.js';
import { deadlineIn } from '../deadline.js';
import type { Clock, Ids } from '../host.js';
import { removeTree } from '../leases/owned-folder.js';
import { mountsBelow } from '../platform/directory-access.js';
import { namesIn } from '../state/inspect-files.js';
import type { Hold, Locks } from '../state/locks.js';
import { inStateFolder, type StateFolder } from '../state/state-folder.js';
import { type AboutApart, readAbout, writeAbout } from './about-apart.js';
import { leftoversOf, lockOf, UNFINISHED, unfinishedIn } from './leftovers.js';
import { limitWarnings, type ReviewedLater } from './limits.js';
import { type ApartSize, measureApart } from './measure.js';

/** The folders of sessions apart, which outlive the program until somebody has reviewed what is in them. */
export interface ApartFolders {
  /** Makes a folder and takes it. */
  create(about: Omit<AboutApart, 'id' | 'startedAt' | 'size'>): Promise<ApartFolder>;
  /** Takes a folder, so that no other program works in it; throws with a sentence where that can't be. */
  take(id: string): Promise<ApartFolder>;
  /** The whole id that begins with these letters; throws unless there is exactly one. */
  find(beginning: string): Promise<string>;
  /** The newest one of a session; null where it has none. */
  ofSession(session: string): Promise<string | null>;
  /** What is written down about one; throws with a sentence where that can't be read. */
  about(id: string): Promise<AboutApart>;
  /** The newest first, damaged ones included. */
  list(): Promise<ListedApart[]>;
  /** Sentences about too much room and too long a time, from what programs wrote down when they ended. */
  warnings(): Promise<string[]>;
  /**
   * Removes a folder with everything in it, unless a program works there. `isAgreed` is asked while no program can
   * begin to; false: it stays.
   */
  remove(id: string, isAgreed?: () => Promise<boolean>): Promise<boolean>;
  /** Sentences about what a program left that was killed, or that nobody can use. */
  leftovers(): Promise<string[]>;
  /** Finishes what programs that were killed had begun to make or to remove. Returns how many folders. */
  sweep(): Promise<number>;
}

/** A folder that is ours until it is closed. */
export interface ApartFolder {
  readonly path: string;
  readonly about: AboutApart;
  /** Writes down the prompt, unless there is one already. */
  notePrompt(prompt: string): Promise<void>;
  /** Lets go. A folder without any change is removed. */
  close(): Promise<void>;
  /** Removes it with everything in it and lets go. */
  remove(): Promise<void>;
}

export interface ListedApart {
  id: string;
  path: string;
  /** Null where it can't be read. */
  about: AboutApart | null;
  /** Why it can't be read, as a sentence. */
  problem: string | null;
  /** `process 12 on host since …`; null when no program works in it. */
  heldBy: string | null;
  ageMs: number;
  size: ApartSize;
}

export interface ApartFoldersNeeds {
  state: StateFolder & Pick<Locks, 'hold' | 'owner'>;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next'>;
}

const HOLD_LIMIT_MS = 30_000;

export function openApartFolders(needs: ApartFoldersNeeds): ApartFolders {
  const { state, clock, ids } = needs;
  const parent = state.pathOf('apart');

  const ageOf = (start: string | Date): number => Math.max(0, clock.now() - new Date(start).getTime()) || 0;

  async function hold(id: string): Promise<Hold> {
    const found = await state.hold(lockOf(id), deadlineIn(HOLD_LIMIT_MS));
    if ('release' in found) return found;
    throw new SettingsError(
      `The session apart ${id} is in use by ${found.heldBy}. Go on there, or wait until it ends.`,
    );
  }

  async function names(): Promise<string[]> {
    if (!(await state.exists())) return [];
    return (await namesIn(parent)).filter((name) => isFolder(join(parent, name)));
  }

  async function pathOf(id: string): Promise<string> {
    if (UNFINISHED.test(id) || !(await names()).includes(id)) throw noSuch(id);
    return join(parent, id);
  }

  async function take(id: string): Promise<ApartFolder> {
    const path = await pathOf(id);
    const held = await hold(id);
    try {
      return taken(path, await readAbout(path), held);
    } catch (error) {
      held.release();
      throw isFolder(path) ? error : noSuch(id);
    }
  }

  return {
    take,
    async create(about) {
      await state.make('apart');
      const id = ids.next();
      const held = await hold(id);
      const path = join(parent, id);
      const whole = { id, ...about, startedAt: new Date(clock.now()).toISOString() };
      return inStateFolder(state.path, async () => {
        mkdirSync(`${path}.new`, { mode: 0o700 });
        await writeAbout(`${path}.new`, whole);
        renameSync(`${path}.new`, path);
        return taken(path, whole, held);
      }).catch((error: unknown) => {
        held.release();
        throw error;
      });
    },
    async find(beginning) {
      const found = (await names()).filter((name) => !UNFINISHED.test(name) && name.startsWith(beginning));
      if (found.length === 1) return found[0]!;
      if (found.length === 0) throw noSuch(beginning);
      throw new SettingsError(
        `${beginning} is the beginning of ${found.length} ids of sessions apart. ${SHOWS_THEM}`,
      );
    },
    async ofSession(session) {
      for (const id of (await names()).filter((name) => !UNFINISHED.test(name)).reverse()) {
        const about = await readAbout(join(parent, id)).catch(() => null);
        if (about?.session === session) return id;
      }
      return null;
    },
    about: async (id) => readAbout(await pathOf(id)),
    async list() {
      const found = (await names()).filter((name) => !UNFINISHED.test(name));
      return Promise.all(found.reverse().map((id) => listed(id, join(parent, id))));
    },
    async warnings() {
      const found: ReviewedLater[] = [];
      for (const name of await names()) {
        const about = await readAbout(join(parent, name)).catch(() => null);
        if (about && !UNFINISHED.test(name))
          found.push({ id: name, about, ageMs: ageOf(about.startedAt), size: about.size ?? unknownSize });
      }
      return limitWarnings(found);
    },
    async remove(id, isAgreed = async () => true) {
      const path = await pathOf(id);
      const held = await hold(id);
      try {
        if (!(await isAgreed())) return false;
        await removeWhole(path);
        return true;
      } finally {
        held.release();
      }
    },
    leftovers: async () => leftoversOf({ state, parent, names: await names() }),
    async sweep() {
      const ids = await unfinishedIn({ state, parent, names: await names() });
      for (const id of ids) {
        const held = await state.hold(lockOf(id), deadlineIn(HOLD_LIMIT_MS));
        if (!('release' in held)) continue;
        const paths = ['new', 'removed'].map((end) => withoutMounts(join(parent, `${id}.${end}`)));
        await Promise.all(paths.map(removeTree)).finally(() => held.release());
      }
      return ids.length;
    },
  };

  async function listed(id: string, path: string): Promise<ListedApart> {
    const read = await readAbout(path).catch(messageOf);
    const about = typeof read === 'string' ? null : read;
    return {
      id,
      path,
      about,
      problem: typeof read === 'string' ? read : null,
      heldBy: (await state.owner(lockOf(id)))?.heldBy ?? null,
      ageMs: ageOf(about?.startedAt ?? orNull(() => lstatSync(path).mtime) ?? ''),
      size: await measureApart(path),
    };
  }
}

const unknownSize: ApartSize = { bytes: 0, entries: 0, isPartial: true };

const SHOWS_THEM = 'toolwright apart list shows them.';

function noSuch(id: string): SettingsError {
  return new SettingsError(`There is no session apart ${id}. ${SHOWS_THEM}`);
}

function isFolder(path: string): boolean {
  return orNull(() => lstatSync(path).isDirectory()) ?? false;
}

function taken(path: string, known: AboutApart, held: Hold): ApartFolder {
  let about = known;
  let isOpen = true;
  async function end(work: () => Promise<void>): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await work().finally(() => held.release());
  }
  return {
    path,
    get about() {
      return about;
    },
    async notePrompt(prompt) {
      if (about.prompt !== '') return;
      about = { ...about, prompt };
      await writeAbout(path, about);
    },
    close: () =>
      end(async () => {
        const size = await measureApart(path);
        if (size.entries === 0 && !size.isPartial) await removeWhole(path);
        else await writeAbout(path, { ...about, size });
      }),
    remove: () => end(() => removeWhole(path)),
  };
}

/** It loses its name first: whoever is killed while removing must not leave half of the changes for a review. */
async function removeWhole(path: string): Promise<void> {
  const leaving = `${withoutMounts(path)}.removed`;
  renameSync(path, leaving);
  await removeTree(leaving);
}

function withoutMounts(path: string): string {
  const [mount] = mountsBelow(path);
  if (mount === undefined) return path;
  throw new SettingsError(
    `${path} is not removed, because a file system is mounted at ${mount}. Unmount it, then try again.`,
  );
}
