import { isNodeError, SettingsError } from '@toolwright/machine/base/errors.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { costOf, type ModelTable } from '../model/catalogue/model-table.js';
import type { Usage } from '../model/model.js';
import { everyJournal } from '../session/every-session.js';
import { readJournal, type SavedEntry } from '../session/journal.js';

/** The numbers of one day, one model or all. */
export interface Totals {
  sessions: number;
  prompts: number;
  answers: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Dollars, as far as prices are known. */
  cost: number;
  /** Answers, also those to subagents, whose price or tokens are not known. */
  unpriced: number;
  /** Milliseconds until models had answered. */
  modelMs: number;
  calls: number;
  failedCalls: number;
  /** Milliseconds that calls ran, without the time that questions were open. */
  toolMs: number;
  questions: number;
  /** Questions that were answered with yes. */
  agreed: number;
  /** Milliseconds that questions were open. */
  questionMs: number;
  /** Change sets that were made, and those that were taken back again. */
  changes: number;
  undone: number;
}

/** The calls of a tool in numbers. */
export interface ToolTotals {
  calls: number;
  failed: number;
  denied: number;
  questions: number;
  totalMs: number;
  /** Half of the calls took no longer. */
  medianMs: number;
}

/** The cost and the work of sessions in numbers. */
export interface Stats {
  from: string;
  to: string;
  /** Journals that could not be read, or not to their end. */
  unread: number;
  total: Totals;
  days: Record<string, Totals>;
  models: Record<string, Totals>;
  tools: Record<string, ToolTotals>;
}

/** The days, the workspace and the prices that are counted with. */
export interface StatsOptions {
  /** The first day, as in 2026-11-18. */
  from: string;
  to: string;
  /** The folder, for sessions of this one alone. */
  workspace?: string;
  table: ModelTable;
  signal?: AbortSignal;
}

/** Reads the numbers of some days' sessions from the journals. */
export async function collectStats(state: StateFolder, options: StatsOptions): Promise<Stats> {
  const { from, to, workspace, signal } = options;
  const stats = emptyStats(from, to);
  const times = new Map<string, number[]>();
  for (const { path, modifiedMs } of await everyJournal(state)) {
    if (new Date(modifiedMs).toISOString().slice(0, 10) < from) continue;
    const session = openCount(stats, times, options);
    try {
      for await (const entry of readJournal(path, signal)) {
        if (!isWhole(entry)) continue;
        if (entry.type === 'session-start' && workspace !== undefined && entry.workspace !== workspace) break;
        session.add(entry);
      }
    } catch (error) {
      signal?.throwIfAborted();
      // One that a newer program wrote, or that nobody may read, hides no other.
      if (!(error instanceof SettingsError || isNodeError(error))) throw error;
      stats.unread += 1;
    }
  }
  for (const [tool, taken] of times) stats.tools[tool]!.medianMs = median(taken);
  return stats;
}

/** Reads the numbers of one session from its journal, in all and by model. */
export async function statsOfSession(
  path: string,
  { table, signal }: Pick<StatsOptions, 'table' | 'signal'>,
): Promise<Pick<Stats, 'total' | 'models'>> {
  const stats = emptyStats(FIRST_DAY, LAST_DAY);
  const session = openCount(stats, new Map(), { from: FIRST_DAY, to: LAST_DAY, table });
  for await (const entry of readJournal(path, signal)) if (isWhole(entry)) session.add(entry);
  return stats;
}

const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

function emptyStats(from: string, to: string): Stats {
  const counts = { days: byName<Totals>(), models: byName<Totals>(), tools: byName<ToolTotals>() };
  return { from, to, unread: 0, total: emptyTotals(), ...counts };
}

/** A record that takes any name as a key, also those that every object has. */
function byName<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** False for an entry without its time or parts: another program wrote into the file. */
function isWhole(entry: SavedEntry): boolean {
  if (Number.isNaN(Date.parse(entry.at))) return false;
  return entry.type !== 'message' || Array.isArray(entry.message?.parts);
}

interface SessionCount {
  add(entry: SavedEntry): void;
}

interface CountedCall {
  tool: string;
  atMs: number;
  waitedMs: number;
}

/** Counts the entries of one session. */
function openCount(
  stats: Stats,
  times: Map<string, number[]>,
  { from, to, table }: StatsOptions,
): SessionCount {
  let started = 'unknown';
  let model = started;
  let asked = 0;
  const counted = new Set<Totals>();
  const calls = new Map<string, CountedCall>();
  const add = (entry: SavedEntry): void => {
    const day = entry.at.slice(0, 10);
    const atMs = Date.parse(entry.at);
    if (entry.type === 'session-start') model = started = entry.model ?? 'none';
    if (entry.type === 'message' && entry.message.role === 'model') model = entry.model ?? started;
    if (day < from || day > to) return;
    const by = entry.type === 'usage' ? entry.model : model;
    const places = placesOf(stats, day, by);
    const each = (change: (totals: Totals) => void): void => places.forEach(change);
    for (const totals of places.filter((place) => !counted.has(place))) {
      counted.add(totals);
      totals.sessions += 1;
    }
    if (entry.type === 'message') {
      const isAnswer = entry.message.role === 'model';
      if (isAnswer) each((totals) => addAnswer(totals, entry, { tookMs: atMs - asked, table, model }));
      else if (!entry.message.parts.some(({ functionResponse }) => functionResponse))
        each((totals) => void (totals.prompts += 1));
      asked = atMs;
    }
    // Subagents, summaries and questions over pages: no answers of the conversation, but they cost like them.
    if (entry.type === 'usage') each((totals) => addUsage(totals, entry.usage, { table, model: by }));
    if (entry.type === 'changes') each((totals) => void (totals[entry.undoes ? 'undone' : 'changes'] += 1));
    if (entry.type === 'call-start') calls.set(entry.callId, { tool: entry.tool, atMs, waitedMs: 0 });
    const call = 'callId' in entry ? calls.get(entry.callId) : undefined;
    if (call) addCall({ entry, call, tool: toolOf(stats, call.tool), times }, each);
  };
  return { add };
}

function placesOf(stats: Stats, day: string, model: string): Totals[] {
  stats.days[day] ??= emptyTotals();
  stats.models[model] ??= emptyTotals();
  return [stats.total, stats.days[day], stats.models[model]];
}

function toolOf({ tools }: Stats, name: string): ToolTotals {
  return (tools[name] ??= { calls: 0, failed: 0, denied: 0, questions: 0, totalMs: 0, medianMs: 0 });
}

function addAnswer(
  totals: Totals,
  { usage }: SavedEntry & { type: 'message' },
  { tookMs, table, model }: { tookMs: number; table: ModelTable; model: string },
): void {
  totals.answers += 1;
  totals.modelMs += Math.max(0, tookMs);
  addUsage(totals, usage, { table, model });
}

function addUsage(
  totals: Totals,
  usage: Usage | undefined,
  { table, model }: { table: ModelTable; model: string },
): void {
  const { prices } = table(model);
  // The offline model runs here and costs nothing.
  if (model !== 'offline' && (!usage || !prices)) totals.unpriced += 1;
  if (!usage) return;
  totals.inputTokens += usage.inputTokens;
  totals.outputTokens += usage.outputTokens;
  totals.cachedTokens += usage.cachedTokens ?? 0;
  if (prices) totals.cost += costOf(usage, prices);
}

function addCall(
  {
    entry,
    call,
    tool,
    times,
  }: { entry: SavedEntry; call: CountedCall; tool: ToolTotals; times: Map<string, number[]> },
  each: (change: (totals: Totals) => void) => void,
): void {
  if (entry.type === 'call-decision') {
    if (entry.decision === 'deny' || entry.outcome === 'cancel') tool.denied += 1;
    const { waitedMs, outcome } = entry;
    if (waitedMs === undefined) return;
    call.waitedMs += waitedMs;
    tool.questions += 1;
    each((totals) => {
      totals.questions += 1;
      totals.questionMs += waitedMs;
      if (outcome !== 'cancel') totals.agreed += 1;
    });
  }
  if (entry.type !== 'call-end') return;
  const tookMs = Math.max(0, Date.parse(entry.at) - call.atMs - call.waitedMs);
  const taken = times.get(call.tool);
  if (taken) taken.push(tookMs);
  else times.set(call.tool, [tookMs]);
  tool.calls += 1;
  tool.totalMs += tookMs;
  if (entry.error) tool.failed += 1;
  each((totals) => {
    totals.calls += 1;
    totals.toolMs += tookMs;
    if (entry.error) totals.failedCalls += 1;
  });
}

function emptyTotals(): Totals {
  return {
    sessions: 0,
    prompts: 0,
    answers: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    cost: 0,
    unpriced: 0,
    modelMs: 0,
    calls: 0,
    failedCalls: 0,
    toolMs: 0,
    questions: 0,
    agreed: 0,
    questionMs: 0,
    changes: 0,
    undone: 0,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.round((sorted[middle - 1]! + sorted[middle]!) / 2);
}
