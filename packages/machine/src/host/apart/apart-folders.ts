import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { InUseError, messageOf, orNull, SettingsError } from '../../base/errors.js';
import { deadlineIn } from '../deadline.js';
import type { Clock, Ids } from '../host.js';
import { removeTree, wasShortLived } from '../leases/owned-folder.js';
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
  /** Reads the record of a session apart; throws with a sentence if it can't be read. */
  about(id: string): Promise<AboutApart>;
  /** The newest first, damaged ones included. */
  list(): Promise<ListedApart[]>;
  /** What programs wrote down when they ended, in the light of what a start has to do about it. */
  look(): Promise<ApartLook>;
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

/** What is written down of all sessions apart. */
export interface ApartLook {
  /** Sentences about too much room and too long a time. */
  warnings: string[];
  /** Those of workspaces that lived only as long as a program that was killed: nobody will come back to them. */
  shortLived: Pick<AboutApart, 'id' | 'session'>[];
}

/** A folder that is ours until it is closed. */
export interface ApartFolder {
  readonly path: string;
  readonly about: AboutApart;
  /** Writes down the prompt, unless there is one already. */
  notePrompt(prompt: string): Promise<void>;
  /** Gives up the hold on the folder. A folder without any change is removed. */
  close(): Promise<void>;
  /** Removes it with everything in it and lets go. */
  remove(): Promise<void>;
}

/** A session apart as it is listed. */
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
  return new FoldersOfState(needs);
}

class FoldersOfState implements ApartFolders {
  readonly #parent: string;

  constructor(private readonly needs: ApartFoldersNeeds) {
    this.#parent = needs.state.pathOf('apart');
  }

  async create(about: Omit<AboutApart, 'id' | 'startedAt' | 'size'>): Promise<ApartFolder> {
    const { state, clock, ids } = this.needs;
    await state.make('apart');
    const id = ids.next();
    const held = await this.#hold(id);
    const path = join(this.#parent, id);
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
  }

  async take(id: string): Promise<ApartFolder> {
    const path = await this.#pathOf(id);
    const held = await this.#hold(id);
    try {
      return taken(path, await readAbout(path), held);
    } catch (error) {
      held.release();
      throw isFolder(path) ? error : noSuch(id);
    }
  }

  async find(beginning: string): Promise<string> {
    const found = (await this.#ids()).filter((id) => id.startsWith(beginning));
    if (found.length === 1) return found[0]!;
    if (found.length === 0) throw noSuch(beginning);
    throw new SettingsError(
      `${beginning} is the beginning of ${found.length} ids of sessions apart. ${SHOWS_THEM}`,
    );
  }

  async ofSession(session: string): Promise<string | null> {
    for (const id of (await this.#ids()).reverse()) {
      const about = await readAbout(join(this.#parent, id)).catch(() => null);
      if (about?.session === session) return id;
    }
    return null;
  }

  async about(id: string): Promise<AboutApart> {
    return readAbout(await this.#pathOf(id));
  }

  async list(): Promise<ListedApart[]> {
    return Promise.all((await this.#ids()).reverse().map((id) => this.#listed(id)));
  }

  async look(): Promise<ApartLook> {
    const found: ReviewedLater[] = [];
    const shortLived: ApartLook['shortLived'] = [];
    for (const id of await this.#ids()) {
      const about = await readAbout(join(this.#parent, id)).catch(() => null);
      if (!about) continue;
      if (wasShortLived(about.workspace)) shortLived.push({ id, session: about.session });
      else found.push({ id, about, ageMs: this.#ageOf(about.startedAt), size: about.size ?? unknownSize });
    }
    return { warnings: limitWarnings(found), shortLived };
  }

  async remove(id: string, isAgreed: () => Promise<boolean> = async () => true): Promise<boolean> {
    const path = await this.#pathOf(id);
    const held = await this.#hold(id);
    try {
      if (!(await isAgreed())) return false;
      await removeWhole(path);
      return true;
    } finally {
      held.release();
    }
  }

  async leftovers(): ReturnType<ApartFolders['leftovers']> {
    return leftoversOf(await this.#found());
  }

  async sweep(): Promise<number> {
    const { state } = this.needs;
    const ids = await unfinishedIn(await this.#found());
    for (const id of ids) {
      const held = await state.hold(lockOf(id), deadlineIn(HOLD_LIMIT_MS));
      if (!('release' in held)) continue;
      const paths = ['new', 'removed'].map((end) => withoutMounts(join(this.#parent, `${id}.${end}`)));
      await Promise.all(paths.map(removeTree)).finally(() => held.release());
    }
    return ids.length;
  }

  async #hold(id: string): Promise<Hold> {
    const found = await this.needs.state.hold(lockOf(id), deadlineIn(HOLD_LIMIT_MS));
    if ('release' in found) return found;
    throw new InUseError(
      `The session apart ${id} is in use by ${found.heldBy}. Continue there, or wait until it ends.`,
    );
  }

  async #found(): Promise<Parameters<typeof leftoversOf>[0]> {
    return { state: this.needs.state, parent: this.#parent, names: await this.#names() };
  }

  async #names(): Promise<string[]> {
    if (!(await this.needs.state.exists())) return [];
    return (await namesIn(this.#parent)).filter((name) => isFolder(join(this.#parent, name)));
  }

  async #ids(): Promise<string[]> {
    return (await this.#names()).filter((name) => !UNFINISHED.test(name));
  }

  async #pathOf(id: string): Promise<string> {
    if (!(await this.#ids()).includes(id)) throw noSuch(id);
    return join(this.#parent, id);
  }

  #ageOf(start: string | Date): number {
    return Math.max(0, this.needs.clock.now() - new Date(start).getTime()) || 0;
  }

  async #listed(id: string): Promise<ListedApart> {
    const path = join(this.#parent, id);
    const read = await readAbout(path).catch(messageOf);
    const about = typeof read === 'string' ? null : read;
    return {
      id,
      path,
      about,
      problem: typeof read === 'string' ? read : null,
      heldBy: (await this.needs.state.owner(lockOf(id)))?.heldBy ?? null,
      ageMs: this.#ageOf(about?.startedAt ?? orNull(() => lstatSync(path).mtime) ?? ''),
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

/** Removes a folder under another name: being killed meanwhile must not leave half of the changes for a review. */
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
