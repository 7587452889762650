import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import {
  type AgentEvent,
  type Display,
  displayAsMarkdown,
  type Effect,
  type FileDiff,
} from '@toolwright/core';
import { describeErrors, type NewErrors } from '@toolwright/core/front-end';
import { diffBlocks } from './diff-blocks.js';
import { fenced } from './markdown.js';

type CallStart = Extract<AgentEvent, { type: 'call-start' }>;

const searches: ReadonlySet<string> = new Set(['grep_search', 'glob', 'tool_search', 'web_search']);

/** The kind that decides about the picture beside a call: what it does, told by its effects. */
function kindOf(tool: string, effects: readonly Effect[] | null | undefined): ToolKind {
  if (searches.has(tool)) return 'search';
  const has = (kind: Effect['kind']): boolean => effects?.some((effect) => effect.kind === kind) ?? false;
  if (has('execute') || tool === 'jobs') return 'execute';
  if (has('write') || has('memory')) return 'edit';
  if (has('delete')) return 'delete';
  if (has('network')) return 'fetch';
  return has('read') ? 'read' : 'other';
}

/** The update that begins a call, while it runs and when it is told again. */
export function startedCall(
  {
    callId,
    tool,
    args,
    effects,
  }: Pick<CallStart, 'callId' | 'tool' | 'args'> & { effects?: readonly Effect[] | null },
  title: string,
): SessionUpdate {
  return {
    sessionUpdate: 'tool_call',
    toolCallId: callId,
    title,
    name: tool,
    kind: kindOf(tool, effects),
    status: 'in_progress',
    locations: locationsOf(effects, args),
    rawInput: shownArguments(args),
  };
}

const MOST_LOCATIONS = 20;

/** The files that a call is about; paths are absolute. */
function locationsOf(
  effects: readonly Effect[] | null | undefined,
  args: Record<string, unknown>,
): ToolCallLocation[] {
  const offset = args['offset'];
  const line = typeof offset === 'number' && offset > 0 ? offset + 1 : undefined;
  const paths = (effects ?? []).flatMap((effect) =>
    'path' in effect && effect.kind !== 'outside' ? [effect.path] : [],
  );
  return [...new Set(paths)]
    .slice(0, MOST_LOCATIONS)
    .map((path) => (line === undefined ? { path } : { path, line }));
}

/** A display as an editor draws it, and the places it shows. */
export interface DrawnDisplay {
  content: ToolCallContent[];
  locations?: ToolCallLocation[];
}

/** `absolute` makes the path of a diff absolute. */
export function drawDisplay(display: Display, absolute: (path: string) => string): DrawnDisplay {
  if (typeof display !== 'string' && display.kind === 'diff') return drawDiff(display, absolute);
  const text = typeof display === 'string' ? display : displayAsMarkdown(display);
  return { content: text === '' ? [] : [textContent(text)] };
}

/** Limits an answer's diffs: editors hold all of it. */
const MOST_DIFF_CHARACTERS = 1_000_000;

export function drawDiff(
  { files }: FileDiff,
  absolute: (path: string) => string,
  mostCharacters = MOST_DIFF_CHARACTERS,
): DrawnDisplay {
  const content: ToolCallContent[] = [];
  const locations: ToolCallLocation[] = [];
  let left = mostCharacters;
  for (const file of files) {
    const path = absolute(file.path);
    const blocks = left > 0 ? diffBlocks(file, path) : [];
    left -= file.unified.length;
    content.push(...blocks.map(({ diff }) => diff));
    if (blocks.length === 0) content.push(textContent(`${file.change} ${code(file.path)}: ${inWords(file)}`));
    if (file.change !== 'delete') locations.push({ path, line: blocks[0]?.line ?? 1 });
  }
  return { content, locations: locations.slice(0, MOST_LOCATIONS) };
}

function inWords({ unified, added, removed }: FileDiff['files'][number]): string {
  return unified.includes('\n') ? `+${added} -${removed}` : unified;
}

function code(text: string): string {
  return fenced(text, 'inline');
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Errors in sources that came with a call, as the model is told of them. */
export function errorContent(newErrors: readonly NewErrors[] = []): ToolCallContent[] {
  return newErrors.map((each) => textContent(fenced(describeErrors(each), 'block')));
}

const LONGEST_TEXT = 2_000;
const MOST_CHARACTERS = 20_000;

/** Arguments for whoever looks behind the title: long texts are cut, for the diff shows them. */
function shownArguments(args: Record<string, unknown>): unknown {
  const cut = cutTexts(args);
  return JSON.stringify(cut).length <= MOST_CHARACTERS ? cut : { note: 'too long to show' };
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= LONGEST_TEXT
      ? value
      : `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map(cutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item)]));
}
