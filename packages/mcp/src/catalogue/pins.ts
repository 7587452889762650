import { plural } from '@toolwright/machine/base/amounts.js';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { diffFile } from '@toolwright/machine/base/diff.js';
import { canonical } from '@toolwright/machine/base/json.js';
import type { CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import { consentProblem } from '../calls/consent.js';
import type { McpToolDefinition } from '../contract/connection.js';
import { sparedAfter } from './revision-question.js';
import type { ServerRecord } from './server-record.js';

/** The tools that a server listed when it was asked. */
export interface Listed {
  tools: readonly McpToolDefinition[];
  /** Problems with some of them, one sentence each. */
  warnings: readonly string[];
  executable: string | null;
  /** The code that the server was started from. */
  code: CodeDigest | null;
  at: number;
  /** The server has resources to read. */
  hasResources?: boolean;
  /** The version that the server gives itself. */
  version?: string;
  /** True if the server gets the older handshake because it does not take the question for its revisions. */
  fearsQuestion?: boolean;
}

const MOST_WARNINGS = 20;
/** A list that is the same is not worth a new record so soon: a server may say over and over that it has changed. */
const FRESH_MS = 60_000;

/** The record after a listing: what is known is kept, what is new or different waits for consent. The first one is consent. The same record where there is nothing new. */
export function withListing(record: ServerRecord | null, server: string, listed: Listed): ServerRecord {
  const { tools, executable, code, at } = listed;
  const warnings = listed.warnings.slice(0, MOST_WARNINGS);
  const base = {
    server,
    failure: null,
    listedAt: at,
    warnings,
    resources: listed.hasResources || undefined,
    spared: sparedAfter(record, listed),
  };
  if (!record || record.listedAt === 0)
    return { ...base, executable, code, accepted: [...tools], gone: [], pending: [] };
  const accepted = new Map(record.accepted.map((tool) => [tool.name, tool]));
  const names = new Set(tools.map(({ name }) => name));
  const next = {
    ...base,
    executable: record.executable,
    code: record.code ?? code,
    accepted: record.accepted,
    gone: record.accepted.map(({ name }) => name).filter((name) => !names.has(name)),
    pending: tools.filter((tool) =>
      consentProblem({ tool, agreed: [accepted.get(tool.name)?.asSent ?? null] }),
    ),
  };
  const isNew = at - record.listedAt >= FRESH_MS || changing(next) !== changing(record);
  return isNew ? next : record;
}

/** The members of a record that a listing may change, as text to compare. */
function changing({ gone, pending, warnings, code, resources, spared }: ServerRecord): string {
  return JSON.stringify([gone, pending, warnings, code === null, resources, spared]);
}

/** The server never gave a list: remembered, so that not every start tries again. A list that is known stays. */
export function withFailure(
  record: ServerRecord | null,
  server: string,
  failure: { message: string; at: number },
): ServerRecord {
  if (record && record.listedAt > 0) return record;
  return {
    server,
    executable: null,
    code: null,
    accepted: [],
    gone: [],
    pending: [],
    warnings: [],
    listedAt: 0,
    failure,
  };
}

/** The user has seen the differences and agrees. */
export function accepting(record: ServerRecord, executable: string | null): ServerRecord {
  const replaced = new Set([...record.gone, ...record.pending.map(({ name }) => name)]);
  const kept = record.accepted.filter(({ name }) => !replaced.has(name));
  const spared = executable === record.executable ? record.spared : undefined;
  return { ...record, executable, accepted: [...kept, ...record.pending], gone: [], pending: [], spared };
}

/** The tools that may be offered. */
export function activeTools(record: ServerRecord): McpToolDefinition[] {
  if (record.gone.length === 0 && record.pending.length === 0) return record.accepted;
  const off = new Set([...record.gone, ...record.pending.map(({ name }) => name)]);
  return record.accepted.filter(({ name }) => !off.has(name));
}

/** A tool that differs from what the user agreed to. */
export interface PinDifference {
  tool: string;
  change: 'new' | 'changed' | 'gone';
}

/** Compares the tools of a server with those that the user agreed to. */
export function differences({ accepted, gone, pending }: ServerRecord): PinDifference[] {
  const known = new Set(accepted.map(({ name }) => name));
  return [
    ...pending.map(({ name }) => ({ tool: name, change: known.has(name) ? ('changed' as const) : 'new' })),
    ...gone.map((tool) => ({ tool, change: 'gone' as const })),
  ] as PinDifference[];
}

/** The definitions as the server sent them, before and after: what the user has to see. */
export async function differencesAsDiff({ accepted, gone, pending }: ServerRecord): Promise<FileDiff> {
  const before = new Map(accepted.map((tool) => [tool.name, written(tool)]));
  const changed = pending.map((tool) =>
    diffFile({ path: tool.name, before: before.get(tool.name) ?? null, after: written(tool) }),
  );
  const removed = gone.map((name) => diffFile({ path: name, before: before.get(name) ?? null, after: null }));
  return { kind: 'diff', files: await Promise.all([...changed, ...removed]) };
}

/** Sentences to show the user after a listing: those that were not true before it. */
export function newsOf(before: ServerRecord | null, after: ServerRecord): string[] {
  const pending = describePending(after);
  const isNew = pending !== null && pending !== (before && describePending(before));
  const [warning] = after.warnings;
  const isNewWarning = warning !== undefined && !before?.warnings.includes(warning);
  const more = after.warnings.length > 1 ? ' There is more: toolwright mcp list.' : '';
  return [
    ...(isNew ? [pending] : []),
    ...(isNewWarning ? [`MCP server "${after.server}": ${warning}${more}`] : []),
  ];
}

/** Gives a sentence for the user, or null when everything that the server lists was accepted. */
export function describePending(record: ServerRecord): string | null {
  const found = differences(record).filter(({ change }) => change !== 'gone');
  if (found.length === 0) return null;
  const names = found.slice(0, 3).map(({ tool, change }) => `${tool} (${change})`);
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
  return `The MCP server "${record.server}" has ${plural(found.length, 'tool')} that you have not accepted: ${names.join(', ')}${more}. They stay off until: toolwright mcp accept ${record.server}`;
}

/** True when the tools that wait for consent are those that the user was shown. */
export function isAsShown(record: ServerRecord, shown: ServerRecord): boolean {
  return record.pending.map(bytes).join('\n') === shown.pending.map(bytes).join('\n');
}

function bytes({ asSent }: McpToolDefinition): string {
  return JSON.stringify(canonical(asSent));
}

function written({ asSent }: McpToolDefinition): string {
  return `${JSON.stringify(canonical(asSent), null, 2)}\n`;
}
