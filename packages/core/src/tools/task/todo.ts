import { plural } from '@toolwright/machine/base/amounts.js';
import type { Message } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import { BaseTool, type ToolResult } from '../tools.js';
import { LIST_IN_SUMMARY } from './used-before.js';

/**
 * A thing to do. Front ends see the list live: the event `call-start` of the tool `todo` carries the whole list in `args.items`, and
 * `todoIn(agent.messages)` gives the latest one, also after a session goes on.
 */
export interface TodoItem {
  text: string;
  state: 'open' | 'active' | 'done';
}

export type TodoParams = { items: TodoItem[] };

const STATES = ['open', 'active', 'done'] as const;
const MOST_ITEMS = 50;
const LONGEST_TEXT = 200;
const marks: Record<TodoItem['state'], string> = { open: '[ ]', active: '[>]', done: '[x]' };

/** Keeps a list of what is to be done, which the user sees. Offered when a task needs it. */
export class TodoTool extends BaseTool<TodoParams> {
  constructor() {
    super({
      name: 'todo',
      displayName: 'Todo',
      description:
        'Shows the user your list for a task of several steps. Give the whole list each time; mark an item when you begin it and when it is done.',
      parameterSchema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            description: 'All items, in order.',
            items: {
              type: 'object',
              properties: { text: { type: 'string' }, state: { type: 'string', enum: [...STATES] } },
              required: ['text', 'state'],
            },
          },
        },
        required: ['items'],
      },
    });
  }

  override getDescription({ items }: TodoParams): string {
    return `Todo: ${summaryOf(items)}`;
  }

  override effects(): Effect[] {
    return [];
  }

  protected override problem({ items }: TodoParams): string | null {
    if (items.length > MOST_ITEMS) return `The list may have ${MOST_ITEMS} items.`;
    const long = items.find(({ text }) => text.length > LONGEST_TEXT || text.trim() === '');
    return long ? `Each item needs a text of at most ${LONGEST_TEXT} characters.` : null;
  }

  protected override async run({ items }: TodoParams): Promise<ToolResult> {
    const next = items.find(({ state }) => state === 'active') ?? items.find(({ state }) => state === 'open');
    const rest = next ? ` ${next.state === 'active' ? 'Now' : 'Next'}: ${next.text}` : '';
    return { llmContent: `${summaryOf(items)}.${rest}`, returnDisplay: todoText(items) };
  }
}

function summaryOf(items: readonly TodoItem[]): string {
  const done = items.filter(({ state }) => state === 'done').length;
  return `${done} of ${plural(items.length, 'item')} done`;
}

/** The list for people, one line for each item. */
export function todoText(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  return items.map(({ text, state }) => `${marks[state]} ${terminalSafeLine(text)}`).join('\n');
}

/** The latest list in a conversation, also one that a summary keeps; empty where there is none. */
export function todoIn(messages: readonly Message[]): TodoItem[] {
  for (const { role, parts } of messages.toReversed())
    for (const { functionCall, text } of parts.toReversed()) {
      if (functionCall?.name === 'todo') return itemsIn(functionCall.args ?? {});
      if (role === 'user' && text?.includes(LIST_IN_SUMMARY)) return itemsOfSummary(text);
    }
  return [];
}

/** The list as a summary keeps it, with the end of a line; empty where there is none. */
export function listForSummary(messages: readonly Message[]): string {
  const items = todoIn(messages);
  return items.length === 0 ? '' : `${LIST_IN_SUMMARY}${todoText(items)}\n`;
}

function itemsOfSummary(text: string): TodoItem[] {
  const lines = text.slice(text.lastIndexOf(LIST_IN_SUMMARY) + LIST_IN_SUMMARY.length).split('\n');
  const items: TodoItem[] = [];
  for (const line of lines) {
    const state = STATES.find((each) => line.startsWith(`${marks[each]} `));
    if (!state) break;
    items.push({ text: line.slice(marks[state].length + 1), state });
  }
  return items;
}

/** Items of a call, as far as they are ones. */
export function itemsIn({ items }: Record<string, unknown>): TodoItem[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item): TodoItem[] => {
    if (!isJsonObject(item) || typeof item['text'] !== 'string') return [];
    const state = STATES.find((each) => each === item['state']) ?? 'open';
    return [{ text: item['text'], state }];
  });
}
