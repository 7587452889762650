import { isAbsolute } from 'node:path';
import type { McpServer, SessionInfo } from '@agentclientprotocol/sdk';
import { deleteSession, type ListedSession, listSessions, openState, sessionOfId } from '@toolwright/core';
import {
  createClock,
  createIds,
  deadlineIn,
  entriesOf,
  openSessionsApart,
  stateFolderPath,
} from '@toolwright/core/front-end';
import { AcpFailure, codes } from './failures.js';
import { EditorSession, type SessionNeeds } from './session.js';

/** A place to work in, as requests name it. */
export interface PlaceToWork {
  cwd: string;
  additionalDirectories?: string[];
  mcpServers?: McpServer[];
}

const MOST_OPEN = 32;
const DELETE_LIMIT_MS = 20_000;

/** The sessions of one connection. */
export class EditorSessions {
  readonly #open = new Map<string, EditorSession>();
  readonly #needs: SessionNeeds;
  readonly #ids = createIds();
  readonly #state;
  #opening = 0;

  constructor(needs: SessionNeeds) {
    this.#needs = needs;
    this.#state = openState({
      path: stateFolderPath(process.env),
      host: { clock: createClock(), ids: this.#ids },
    });
  }

  find(id: string): EditorSession {
    const session = this.#open.get(id);
    if (session) return session;
    throw new AcpFailure(
      codes.notFound,
      `The session ${id} is not open. Load or resume it, or begin a new one.`,
    );
  }

  /** A session that is gone has nothing to cancel. */
  cancel(id: string): void {
    this.#open.get(id)?.cancel();
  }

  async begin(place: PlaceToWork): Promise<{ id: string; session: EditorSession }> {
    const id = this.#ids.next();
    return { id, session: await this.#enter(id, place, false) };
  }

  /** An earlier conversation; `replay` tells it again. */
  async goOn(id: string, place: PlaceToWork, { replay }: { replay: boolean }): Promise<EditorSession> {
    const known = this.#open.get(id);
    if (known?.isWorking)
      throw new AcpFailure(
        codes.invalidRequest,
        `The session ${id} is working on a prompt. Cancel it first.`,
      );
    const saved = await sessionOfId(this.#state, id);
    if (!saved && !known)
      throw new AcpFailure(
        codes.notFound,
        `There is no session ${id}. session/list shows the ones that exist.`,
      );
    await this.close(id);
    // A session in which nothing was said yet is kept nowhere: it begins again.
    const session = await this.#enter(id, place, saved !== null);
    if (replay && saved) await this.#replay(saved, session);
    await session.showPlan();
    await session.flush();
    return session;
  }

  async #replay(saved: ListedSession, session: EditorSession): Promise<void> {
    const { workspace } = session.agent.host;
    const absolute = (path: string): string => (isAbsolute(path) ? path : workspace.resolve(path));
    const { replayed } = await import('./updates/replay.js');
    for (const update of replayed(await entriesOf(saved), absolute)) session.send(update);
  }

  async #enter(id: string, place: PlaceToWork, resumes: boolean): Promise<EditorSession> {
    const { cwd, additionalDirectories: folders = [], mcpServers: servers = [] } = place;
    for (const path of [cwd, ...folders])
      if (!isAbsolute(path))
        throw new AcpFailure(codes.invalidParams, `${JSON.stringify(path)} is not an absolute path.`);
    if (this.#open.size + this.#opening >= MOST_OPEN)
      throw new AcpFailure(codes.invalidRequest, `${MOST_OPEN} sessions are open. Close one first.`);
    this.#opening += 1;
    try {
      const session = new EditorSession({ id, cwd, folders, servers, resumes }, this.#needs);
      await session.open();
      this.#open.set(id, session);
      return session;
    } finally {
      this.#opening -= 1;
    }
  }

  async list(
    { cwd, cursor }: { cwd?: string | null; cursor?: string | null },
    signal: AbortSignal,
  ): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> {
    const wanted = { workspace: cwd ?? undefined, after: cursor ?? undefined };
    const { sessions, next } = await listSessions(this.#state, wanted, signal);
    return {
      sessions: sessions.map(({ id, workspace, title, updatedMs }) => ({
        sessionId: id,
        cwd: workspace,
        title,
        updatedAt: new Date(updatedMs).toISOString(),
      })),
      nextCursor: next,
    };
  }

  /** False where it is not open. */
  async close(id: string): Promise<boolean> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.close();
    return session !== undefined;
  }

  /** Leaves no session of that id, whether there was one or not. */
  async delete(id: string): Promise<void> {
    await this.close(id);
    const saved = await sessionOfId(this.#state, id);
    if (!saved) return;
    const apart = await (await openSessionsApart(this.#state)).ofSession(id);
    if (apart !== null)
      throw new AcpFailure(
        codes.invalidRequest,
        `The session ${id} has changes that wait for a review. Keep or drop them first: toolwright apart show ${apart}`,
      );
    await deleteSession(this.#state, saved, deadlineIn(DELETE_LIMIT_MS));
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((id) => this.close(id)));
  }
}
