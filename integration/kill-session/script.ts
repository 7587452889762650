import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../program.js';
import { heardIn } from './heard.js';

const LINES = 300;
const EDITED = ['a.txt', 'b.txt'] as const;

/** The consequence of a call once it is answered: a file that is at least as new. */
interface Outcome {
  path: string;
  generation: number;
}

/**
 * The model's part: for each prompt it reads, writes and edits, and ends with an answer. What it says next follows
 * from the request alone, so it goes on whatever was cut off before.
 */
export interface Script {
  answer(request: { body: Record<string, unknown> }): {
    text: string[];
    calls?: { id: string; name: string; arguments: Record<string, unknown> }[];
    splitBytes: number;
  };
  /** By the id of a call. */
  outcomes: Map<string, Outcome>;
  /** Files that are not whole, and files that only a write in progress has. */
  damage(): { torn: string[]; temporary: string[] };
  generationOf(path: string): number;
}

export const files = Object.fromEntries(EDITED.map((path) => [path, contentOf(0)]));

export function createScript({ workspace }: Pick<Machine, 'workspace'>): Script {
  const outcomes = new Map<string, Outcome>();
  const bytesOf = (path: string): string => {
    try {
      return readFileSync(join(workspace, path), 'utf8');
    } catch {
      return '';
    }
  };
  const generationOf = (path: string): number => Number(/^generation (\d+)\n/.exec(bytesOf(path))?.[1] ?? -1);

  const promise = (id: string, outcome: Outcome): string => {
    outcomes.set(id, outcome);
    return id;
  };

  const steps = (prompt: string) => [
    () => [
      { id: `read-a-${prompt}`, name: 'read_file', arguments: { absolute_path: 'a.txt' } },
      { id: `read-b-${prompt}`, name: 'read_file', arguments: { absolute_path: 'b.txt' } },
      { id: `list-${prompt}`, name: 'list_directory', arguments: { path: '.' } },
    ],
    () => {
      const path = `new-${prompt}.txt`;
      const id = promise(`write-${prompt}`, { path, generation: Number(prompt) });
      return [
        { id, name: 'write_file', arguments: { file_path: path, content: contentOf(Number(prompt)) } },
        { id: `again-${prompt}`, name: 'read_file', arguments: { absolute_path: 'a.txt', limit: 10 } },
      ];
    },
    () =>
      EDITED.map((path) => {
        const generation = generationOf(path);
        return {
          id: promise(`edit-${path[0]}-${prompt}`, { path, generation: generation + 1 }),
          name: 'edit',
          arguments: {
            file_path: path,
            old_string: `generation ${generation}\n`,
            new_string: `generation ${generation + 1}\n`,
            replace_all: true,
          },
        };
      }),
  ];

  return {
    outcomes,
    generationOf,
    answer({ body }) {
      const all = heardIn(body);
      const prompt = /prompt (\d+)/.exec(all.findLast(({ kind }) => kind === 'user')?.text ?? '')?.[1] ?? '0';
      const done = all.filter(
        ({ kind, text }) => kind === 'model' && text.startsWith(`step ${prompt}.`),
      ).length;
      const step = steps(prompt)[done];
      if (!step) return { text: [`answer ${prompt}`, ', with', ' some more', ' words.'], splitBytes: 200 };
      return { text: [`step ${prompt}.${done}`, ' is next.'], calls: step(), splitBytes: 4_000 };
    },
    damage() {
      const names = readdirSync(workspace);
      const temporary = names.filter((name) => name.includes('.toolwright-'));
      const torn = names.filter(
        (name) => !temporary.includes(name) && bytesOf(name) !== contentOf(generationOf(name)),
      );
      return { torn, temporary };
    },
  };
}

function contentOf(generation: number): string {
  return `generation ${generation}\n`.repeat(LINES);
}
