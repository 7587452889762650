import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { MissingPackage } from '@toolwright/machine/base/optional-package.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { McpListing, McpToolDefinition } from '../contract/connection.js';
import { accepting, isAsShown, type Listed, newsOf, withFailure, withListing } from './pins.js';
import type { ServerRecord, ServerRecords } from './server-record.js';

const SAVE_LIMIT_MS = 20_000;

export interface RecordInUseOptions {
  alias: string;
  records: ServerRecords;
  record: ServerRecord | null;
  now(): number;
  /** Shows one sentence to the user. */
  say(message: string): void;
}

/** The record of a server in a session: known at any moment, saved with every change. */
export interface RecordInUse {
  readonly current: ServerRecord | null;
  /** The number of listings that were saved. */
  readonly listings: number;
  /** Saves the tools that the server listed, and tells the user what is new. */
  saveListing(
    listing: McpListing<McpToolDefinition>,
    session: Omit<Listed, 'tools' | 'warnings' | 'at'>,
  ): Promise<ServerRecord>;
  /** Saves the failure of a server that never gave a list. */
  saveFailure(error: unknown): Promise<void>;
  saveCode(code: Listed['code']): Promise<void>;
  /** Accepts the tools that the user was shown; refused where they changed meanwhile. */
  accept(shown: ServerRecord, executable: string | null): Promise<ServerRecord>;
  remove(): Promise<void>;
}

export function openRecordInUse(options: RecordInUseOptions): RecordInUse {
  const { alias, records, now, say } = options;
  let record = options.record;
  let listings = 0;

  async function save(change: (current: ServerRecord | null) => ServerRecord): Promise<ServerRecord> {
    record = await records.update(change, deadlineIn(SAVE_LIMIT_MS));
    return record;
  }

  return {
    get current() {
      return record;
    },
    get listings() {
      return listings;
    },
    async saveListing({ items, warnings }, session) {
      const before = record;
      const listed = { tools: items, warnings, ...session, at: now() };
      const after = await save((current) => withListing(current, alias, listed));
      listings += 1;
      for (const news of newsOf(before, after)) say(news);
      return after;
    },
    async saveFailure(error) {
      // A package that is missing here is no fault of the server.
      if (error instanceof MissingPackage || (record && record.listedAt > 0)) return;
      const failure = { message: messageOf(error), at: now() };
      await save((current) => withFailure(current, alias, failure));
    },
    async saveCode(code) {
      await save((current) => ({ ...(current ?? record)!, code, spared: undefined }));
    },
    accept: (shown, executable) =>
      save((current) => {
        if (current && !isAsShown(current, shown))
          throw new ToolError('conflict', `"${alias}" changed again meanwhile. Look at it once more.`);
        return { ...accepting(shown, executable), code: current?.code ?? shown.code };
      }),
    async remove() {
      await records.remove(deadlineIn(SAVE_LIMIT_MS));
      record = null;
    },
  };
}
