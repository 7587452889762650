import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { isSame, stampOfProgram, stampsOf } from './stamps.js';

/** A number of files from which reading them is felt at each start. */
const MANY = 10;
const MOST_BYTES = 256 * 1024;
const SAVE_LIMIT_MS = 2_000;

interface KnownPiecesNeeds {
  state: Pick<State, 'readJson' | 'updateJson'>;
  clock: Pick<Clock, 'now'>;
  /** The program that reads them; this one where it is left out. */
  program?: string;
}

/** Pieces of one kind: what they were read of besides the files, and how to read them. */
interface PiecesToRead<Value> {
  about: unknown;
  /** Gives the files and folders that it looked at, too. */
  read(): Promise<{ value: Value; looked: readonly string[] }>;
}

/** Pieces as an earlier start read them. They say what there is; before one is used, it is read anew. */
export interface KnownPieces {
  of<Value>(kind: string, pieces: PiecesToRead<Value>): Promise<Value>;
}

/** Takes many pieces from one file of our own as long as all files that they were read of are the same. */
export function openKnownPieces({ state, clock, program }: KnownPiecesNeeds): KnownPieces {
  let saved: Promise<JsonObject | null> | undefined;
  return {
    async of<Value>(kind: string, { about: given, read }: PiecesToRead<Value>): Promise<Value> {
      const about = JSON.stringify([program ?? stampOfProgram(), given]);
      saved ??= state.readJson('known-pieces').catch(() => null);
      const known = (await saved)?.[kind];
      if (isJsonObject(known) && known['about'] === about && isJsonObject(known['stamps']))
        if (isSame(known['stamps'])) return known['value'] as Value;
      const { value, looked } = await read();
      const stamps = looked.length < MANY ? null : stampsOf(looked, clock.now());
      const entry = JSON.stringify({ about, stamps, value });
      if (stamps && entry.length <= MOST_BYTES)
        await state
          .updateJson(
            'known-pieces',
            (current) => ({ ...current, [kind]: JSON.parse(entry) }),
            deadlineIn(SAVE_LIMIT_MS),
          )
          .catch(() => undefined);
      return value;
    },
  };
}
