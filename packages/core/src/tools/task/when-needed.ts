import type { Message } from '@toolwright/machine/base/content.js';
import { usesTaskTools } from '../../model/tools-of-families.js';
import type { ToolRegistry } from '../tool-registry.js';
import type { Tool } from '../tools.js';
import type { AskForm } from './ask-user.js';
import { wasUsed } from './used-before.js';

const LONG_PROMPT = 800;
const LISTED = /^\s*(?:[-*+]|\d+[.)])\s+\S/gm;

/** A prompt with several things to do, or one that speaks of steps; in capitals, TODO is a mark in source code. */
export function needsTodo(prompt: string): boolean {
  const listed = prompt.includes('\n') ? (prompt.match(LISTED)?.length ?? 0) : 0;
  return listed >= 3 || prompt.length > LONG_PROMPT || /\b[Tt]o-?[Dd]o/.test(prompt) || speaksOfSteps(prompt);
}

/** Most prompts have none of these words: then the pattern need not be compiled at a start. */
function speaksOfSteps(prompt: string): boolean {
  const lower = prompt.toLowerCase();
  return (
    ['step', 'checklist', 'then'].some((word) => lower.includes(word)) &&
    /\b(?:step by step|checklist|plan\b.*\bthen|first\b.*\bthen\b.*\b(?:then|finally))/is.test(prompt)
  );
}

/** A prompt that leaves something to a later question. */
export function needsAskUser(prompt: string): boolean {
  return /\b(?:ask me|ask_user|let me (?:choose|decide|pick)|(?:if|when) (?:you(?:'re| are) )?(?:unsure|in doubt)|interview me)\b/i.test(
    prompt,
  );
}

export interface TaskToolNeeds {
  registry: ToolRegistry;
  /** The model that is asked now. */
  model(): string;
  /** The way to ask; without it nobody can be asked. */
  ask: AskForm | undefined;
  /** The conversation so far. */
  messages: readonly Message[];
}

/**
 * `todo` and `ask_user`, once a prompt needs them or where the conversation has used them, or at once for models that use them well;
 * those that are there already are left out.
 */
export async function taskToolsFor(
  prompt: string,
  { registry, model, ask, messages }: TaskToolNeeds,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  // Both tools wait for a prompt that needs them where there are skills.
  const isKnown = usesTaskTools(model()) && !registry.find('skill');
  if (!registry.find('todo') && (isKnown || needsTodo(prompt) || wasUsed('todo', messages))) {
    const { TodoTool } = await import('./todo.js');
    tools.push(new TodoTool());
  }
  if (
    ask &&
    !registry.find('ask_user') &&
    (isKnown || needsAskUser(prompt) || wasUsed('ask_user', messages))
  ) {
    const { AskUserTool } = await import('./ask-user.js');
    tools.push(new AskUserTool(ask));
  }
  return tools;
}
