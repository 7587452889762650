import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeSet } from '../../packages/machine/src/changes/change-set.js';
import { type Changes, createChanges } from '../../packages/machine/src/changes/commit.js';
import { createFiles } from '../../packages/machine/src/host/files/create-files.js';
import { createClock, createIds, silentLog } from '../../packages/machine/src/host/node-host.js';
import {
  type BeforeImages,
  createBeforeImages,
} from '../../packages/machine/src/host/objects/before-images.js';
import { openState } from '../../packages/machine/src/host/state/state.js';
import { createWorkspace } from '../../packages/machine/src/host/workspace.js';

/** A line of the journal: the world a commit led to. */
export interface Entry {
  changeSet: ChangeSet;
  from: number;
  to: number;
}

export interface Place {
  workspace: string;
  state: string;
  journal: string;
}

export function placeIn(base: string): Place {
  return { workspace: join(base, 'workspace'), state: join(base, 'state'), journal: join(base, 'journal') };
}

/** Numbers that look random, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

export interface Started {
  changes: Changes;
  objects: BeforeImages;
  newId(): string;
}

/** Does what every start of the program does: doors, store, and a journal that is flushed before a commit stands. */
export function start(place: Place, owner: string): Started {
  const [ids, clock] = [createIds(), createClock()];
  const state = openState({ path: place.state, host: { ids, clock } });
  const workspace = createWorkspace({ directory: place.workspace });
  const { withLock } = state;
  const objects = createBeforeImages({
    directory: state.pathOf('objects'),
    owner,
    quotaBytes: 2 ** 40,
    ids,
    clock,
    withLock,
  });
  const changes = createChanges({
    files: createFiles(workspace, { ids }),
    workspace,
    objects,
    withLock,
    ids,
    log: silentLog,
    intentsDirectory: state.pathOf('intents'),
    record: async (changeSet, origin) => {
      const { from, to } = origin as { from: number; to: number };
      append(place.journal, { changeSet, from, to });
    },
  });
  return { changes, objects, newId: () => ids.next() };
}

function append(path: string, entry: Entry): void {
  const file = openSync(path, 'a');
  // A kill may have cut the line before this one.
  writeSync(file, `\n${JSON.stringify(entry)}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** In order, each change set once: a commit finished after a crash may have been written twice. */
export function readJournal(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const entries = new Map<string, Entry>();
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const entry = parse(line);
    if (entry) entries.set(entry.changeSet.id, entry);
  }
  return [...entries.values()];
}

/** A line that a kill cut off: its commit never stood. */
function parse(line: string): Entry | null {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}
