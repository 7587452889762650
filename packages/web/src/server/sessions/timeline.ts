import {
  type Display,
  displayAsMarkdown,
  type ModelFacts,
  type Part,
  type SavedEntry,
  textOf,
} from '@toolwright/core';
import { answerTextOf, itemsIn, plural, summarize, summarizeErrors } from '@toolwright/core/front-end';
import type { TimelineCall, TimelineItem } from '../../wire/wire.js';

/** The entries of a journal as what a reader wants to see, in order. */
export interface Timeline {
  readonly items: readonly TimelineItem[];
  /** Takes further entries; gives the index of the first item that is another now. */
  add(entries: readonly SavedEntry[]): number;
}

/** Looks up the facts of a model by its name. */
export type FactsOfModel = (model: string) => ModelFacts;

export function createTimeline(factsOf: FactsOfModel): Timeline {
  const items: TimelineItem[] = [];
  const calls = new Map<string, number>();
  const asked = new Map<string, number>();
  return {
    items,
    add(entries) {
      let first = items.length;
      for (const entry of entries) first = Math.min(first, addEntry(entry, { items, calls, asked, factsOf }));
      return first;
    },
  };
}

interface Building {
  items: TimelineItem[];
  calls: Map<string, number>;
  /** The last place of a call by its tool and arguments. */
  asked: Map<string, number>;
  factsOf: FactsOfModel;
}

function addEntry(entry: SavedEntry, { items, calls, asked, factsOf }: Building): number {
  if (entry.type === 'call-decision' || entry.type === 'call-end') {
    const index = calls.get(entry.callId) ?? -1;
    const call = items[index];
    if (call?.kind !== 'call') return items.length;
    items[index] = entry.type === 'call-end' ? ended(call, entry) : decided(call, entry);
    return index;
  }
  const item = itemOf(entry, factsOf);
  if (!item) return items.length;
  const index = entry.type === 'call-start' ? placeOf(entry, { items, asked }) : items.length;
  if (item.kind === 'call') calls.set(item.callId, index);
  items[index] = item;
  return index;
}

/** A call that was put off begins again when it is answered, in the place where it was asked for. */
function placeOf(
  { tool, args }: SavedEntry & { type: 'call-start' },
  { items, asked }: Pick<Building, 'items' | 'asked'>,
): number {
  const key = JSON.stringify([tool, args]);
  const earlier = asked.get(key) ?? items.length;
  const item = items[earlier];
  const isPutOff = item?.kind === 'call' && item.state === 'running' && item.decision?.outcome === 'park';
  const place = isPutOff ? earlier : items.length;
  asked.set(key, place);
  return place;
}

function itemOf(entry: SavedEntry, factsOf: FactsOfModel): TimelineItem | null {
  const { at } = entry;
  switch (entry.type) {
    case 'session-start': {
      const { front, model, provider, apart } = entry;
      const prices = model === undefined ? undefined : factsOf(model).prices;
      return { kind: 'start', at, front, model, provider, apart, prices };
    }
    case 'message':
      return messageItem(entry, factsOf);
    case 'usage': {
      const { model, usage } = entry;
      return { kind: 'usage', at, usage, by: { model, prices: factsOf(model).prices } };
    }
    case 'history':
      return { kind: 'shortened', at };
    case 'call-start': {
      const { callId, tool, args } = entry;
      const todo = tool === 'todo' ? itemsIn(args) : undefined;
      const brief = todo ? plural(todo.length, 'item') : briefOf(args);
      return { kind: 'call', at, callId, tool, brief, todo, state: 'running', shown: '', isCut: false };
    }
    case 'changes': {
      const { changeSet, undoes, by } = entry;
      // A call's own changes are told with the call.
      if (!undoes && !by) return null;
      return {
        kind: 'change',
        at,
        id: changeSet.id,
        summary: summarize(changeSet),
        by: by ?? `undo of ${undoes}`,
      };
    }
    default:
      return null;
  }
}

function messageItem(
  { at, message, usage, model }: SavedEntry & { type: 'message' },
  factsOf: FactsOfModel,
): TimelineItem | null {
  const { role, parts } = message;
  const by = model === undefined ? undefined : { model, prices: factsOf(model).prices };
  const said = parts.filter(({ functionCall, functionResponse }) => !functionCall && !functionResponse);
  const text = answerTextOf(said);
  if (role === 'model') {
    const thinking = textOf(
      said.filter(({ thought }) => thought).map(({ text: words }): Part => ({ text: words ?? '' })),
    );
    return text.trim() === '' && thinking === '' && !usage
      ? null
      : { kind: 'answer', at, text, thinking, usage, by };
  }
  // Responses go back to the model with context of folders, which the user did not say.
  if (parts.some(({ functionResponse }) => functionResponse)) return null;
  const [prompt = '', ...others] = said.flatMap((part) => part.text ?? []);
  const attached = said.filter(({ inlineData }) => inlineData).length;
  return { kind: 'prompt', at, text: prompt, beside: others.join('').trim(), attached };
}

function decided(call: TimelineCall, entry: SavedEntry & { type: 'call-decision' }): TimelineCall {
  const { decision: verdict, reason, winner, outcome, waitedMs } = entry;
  const by = winner && winnerText(winner);
  return { ...call, decision: { verdict, reason, by, outcome, waitedMs } };
}

function winnerText(winner: NonNullable<(SavedEntry & { type: 'call-decision' })['winner']>): string {
  if (winner.kind === 'rule') return `${winner.rule} (${winner.source})`;
  return winner.kind === 'mode' ? `${winner.mode} mode` : `the hook ${winner.hook}`;
}

const MOST_LINES = 6;
const MOST_CHARACTERS = 600;

function ended(call: TimelineCall, entry: SavedEntry & { type: 'call-end' }): TimelineCall {
  const { display, error, changeSet, at, newErrors = [] } = entry;
  const text = displayAsMarkdown(display);
  const lines = text.split('\n');
  const shown = lines.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS);
  const wasRefused = call.decision?.verdict === 'deny' || call.decision?.outcome === 'cancel';
  return {
    ...call,
    state: error ? (wasRefused ? 'refused' : 'failed') : 'done',
    endedAt: at,
    shown,
    isCut: shown.length < text.trimEnd().length,
    error: error?.message,
    newErrors: newErrors.length > 0 ? summarizeErrors(newErrors) : undefined,
    ...countsOf(display),
    changeSet,
  };
}

function countsOf(display: Display): Pick<TimelineCall, 'added' | 'removed'> {
  if (typeof display === 'string' || display.kind !== 'diff') return {};
  const sum = (side: 'added' | 'removed') => display.files.reduce((total, file) => total + file[side], 0);
  return { added: sum('added'), removed: sum('removed') };
}

const LONGEST_BRIEF = 160;
const telling = [
  'command',
  'file_path',
  'absolute_path',
  'path',
  'pattern',
  'paths',
  'url',
  'query',
  'fact',
  'prompt',
];

/** Gives a line that tells calls of a tool apart. */
export function briefOf(args: Record<string, unknown>): string {
  const named = telling.map((name) => args[name]).find((value) => value !== undefined);
  const value = named ?? (Object.keys(args).length > 0 ? args : '');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_BRIEF ? `${line.slice(0, LONGEST_BRIEF)}…` : line;
}
