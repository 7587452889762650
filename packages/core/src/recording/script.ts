import { isDeepStrictEqual } from 'node:util';
import { answerTextOf, type Message, type Part } from '@toolwright/machine/base/content.js';
import {
  type ChangeSet,
  type EntryState,
  stateAfter,
  stateBefore,
} from '@toolwright/machine/changes/change-set.js';
import type { SavedEntry } from '../session/journal.js';
import type { Recording } from './recording.js';

type EntryOf<Type extends SavedEntry['type']> = SavedEntry & { type: Type };

/** A call of a recorded session. */
export interface RecordedCall {
  /** The number, counted from 1 in the order in which calls began. */
  number: number;
  start: EntryOf<'call-start'>;
  decision?: EntryOf<'call-decision'>;
  end?: EntryOf<'call-end'>;
  changeSet?: ChangeSet;
}

export interface ScriptedPrompt {
  parts: Part[];
  /** The messages that the user wrote meanwhile, each with the number of answers before it in the whole session. */
  said: { afterAnswers: number; parts: Part[] }[];
}

/** The inputs of a recorded session, and their outcome. */
export interface Script {
  prompts: ScriptedPrompt[];
  calls: RecordedCall[];
  /** Files that the session changed: what each was before the first change, and after the last one. */
  files: Map<string, { start: EntryState; end: EntryState; calls: Set<string> }>;
  /** The last answer of the model. */
  response: string;
}

export function scriptOf({ entries }: Pick<Recording, 'entries'>): Script {
  const calls = callsIn(entries);
  return { prompts: promptsIn(entries), calls, files: filesIn(entries, calls), response: lastWords(entries) };
}

function isResponse({ parts }: Message): boolean {
  return parts.some(({ functionResponse }) => functionResponse);
}

function promptsIn(entries: readonly SavedEntry[]): ScriptedPrompt[] {
  const prompts: ScriptedPrompt[] = [];
  let answers = 0;
  let afterCalls = false;
  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    const { message } = entry;
    if (message.role === 'model') answers += 1;
    else if (!isResponse(message)) {
      const last = prompts.at(-1);
      // Before the first prompt calls may have been run again that were interrupted.
      if (afterCalls && last) last.said.push({ afterAnswers: answers, parts: message.parts });
      else prompts.push({ parts: message.parts, said: [] });
    }
    afterCalls = message.role === 'user' && (isResponse(message) || (afterCalls && answers > 0));
  }
  return prompts;
}

function callsIn(entries: readonly SavedEntry[]): RecordedCall[] {
  const calls = new Map<string, RecordedCall>();
  const changeSets = new Map<string, ChangeSet>();
  for (const entry of entries) {
    if (entry.type === 'changes') changeSets.set(entry.changeSet.id, entry.changeSet);
    if (entry.type === 'call-start') {
      const parked = [...calls.values()].find((call) => isParked(call) && isSameCall(call.start, entry));
      if (parked) calls.delete(parked.start.callId);
      calls.set(entry.callId, { number: parked?.number ?? calls.size + 1, start: entry });
    }
    const call = 'callId' in entry ? calls.get(entry.callId) : undefined;
    // The last decision counts: a call that the user changed is decided again.
    if (call && entry.type === 'call-decision') call.decision = entry;
    if (call && entry.type === 'call-end') call.end = entry;
  }
  for (const call of calls.values()) {
    const changeSet = call.end?.changeSet && changeSets.get(call.end.changeSet);
    if (changeSet) call.changeSet = changeSet;
  }
  return [...calls.values()];
}

/** A call that was put off until the user answered begins anew then. */
function isParked({ decision, end }: RecordedCall): boolean {
  return decision?.outcome === 'park' && !end;
}

function isSameCall(one: EntryOf<'call-start'>, other: EntryOf<'call-start'>): boolean {
  return one.tool === other.tool && isDeepStrictEqual(one.args, other.args);
}

function filesIn(entries: readonly SavedEntry[], calls: readonly RecordedCall[]): Script['files'] {
  const files: Script['files'] = new Map();
  for (const entry of entries) {
    if (entry.type !== 'changes') continue;
    const call = calls.find(({ changeSet }) => changeSet?.id === entry.changeSet.id);
    for (const change of entry.changeSet.changes) {
      const file = files.get(change.path) ?? {
        start: stateBefore(change),
        end: stateAfter(change),
        calls: new Set(),
      };
      files.set(change.path, file);
      file.end = stateAfter(change);
      file.calls.add(call?.start.callId ?? '');
    }
  }
  return files;
}

function lastWords(entries: readonly SavedEntry[]): string {
  const last = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'model');
  return last?.type === 'message' ? answerTextOf(last.message.parts) : '';
}
