import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';

/** The tasks that come with the program. */
export const shippedTasks = fileURLToPath(new URL('../../eval/tasks/', import.meta.url));

/** Copies tasks of those that are shipped. */
export function copyTasks(names: readonly string[], folder: string): void {
  for (const name of names) cpSync(join(shippedTasks, name), join(folder, name), { recursive: true });
}

/** A model that gives the answers that are kept beside a task, and asks for a page where the instruction says so. */
export function startAnsweringModel(names: readonly string[]): Promise<FakeModelServer> {
  const read = (name: string, file: string): string =>
    readFileSync(join(shippedTasks, name, file), 'utf8').trim();
  const answers = names.map((name) => ({
    instruction: JSON.stringify(read(name, 'instruction.md')).slice(1, -1),
    lines: read(name, 'answers.jsonl')
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  }));
  const fetches = {
    calls: [{ name: 'web_fetch', arguments: { url: 'https://example.com/', prompt: 'What?' } }],
  };
  return startFakeModelServer({
    otherwise({ body }) {
      const messages = body['messages'] as { role: string }[];
      const told = JSON.stringify(messages);
      if (told.includes('Look at a page.')) return fetches;
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      return answers.find(({ instruction }) => told.includes(instruction))?.lines[turn] ?? { text: 'Done.' };
    },
  });
}
