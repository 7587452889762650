import { afterAll, afterEach, it } from 'vitest';
import type { Machine } from '../program.js';
import { type Conversation, type ConversationOptions, startConversation } from './conversation.js';

const open: Conversation[] = [];

/** A conversation that ends with its test. */
export async function start(options?: ConversationOptions): Promise<Conversation> {
  const conversation = await startConversation(options);
  open.push(conversation);
  return conversation;
}

/** Ends the programs that still write to a machine, then removes it. */
export async function tidy(machine: Machine, ...talks: Conversation[]): Promise<void> {
  for (const talk of talks) talk.close();
  for (const talk of talks) await talk.ended();
  machine.cleanup();
}

/** Registers ways of using the terminal; the list of those that work is printed at the end. */
export function flowsOf(title: string): (name: string, run: () => Promise<void>) => void {
  const done: string[] = [];
  afterEach(() => {
    for (const conversation of open.splice(0)) conversation.close();
  });
  afterAll(() => {
    console.log(
      `terminal flows, ${title} (${done.length}):\n${done.map((name) => `  - ${name}`).join('\n')}`,
    );
  });
  return (name, run) => {
    it(name, async () => {
      await run();
      done.push(name);
    });
  };
}
