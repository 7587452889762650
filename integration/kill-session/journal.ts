import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a journal, as far as it matters here. */
export interface Line {
  type: string;
  callId?: string;
  error?: unknown;
  response?: { id?: string };
  message?: { role: 'user' | 'model'; parts: { text?: string; functionCall?: object }[] };
}

export interface Journal {
  id: string;
  lines: Line[];
  /** The last line was being written. */
  isTorn: boolean;
}

/** The newest journal below a state folder; read here on its own, so that a fault of the reader shows. */
export function newestJournal(state: string): Journal | null {
  const path = pathsBelow(join(state, 'sessions')).sort().at(-1);
  if (path === undefined) return null;
  const texts = readFileSync(path, 'utf8').split('\n');
  const rest = texts.pop();
  const lines = texts.flatMap((text) => parsed(text) ?? []);
  return { id: path.slice(path.lastIndexOf('/') + 1, -'.jsonl'.length), lines, isTorn: rest !== '' };
}

function pathsBelow(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function parsed(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}

/** Names the phase of the program's life, from its journal and whether the model had been asked. */
export function phaseOf({ lines, isTorn }: Journal, isAsked: boolean): string {
  const last = lines.at(-1);
  if (isTorn) return 'inside a line of the journal';
  switch (last?.type) {
    case 'message':
      if (last.message?.role === 'user') return isAsked ? 'while the model answered' : 'before the request';
      return last.message?.parts.some((part) => part.functionCall)
        ? 'before the calls'
        : 'after the last answer';
    case 'call-end':
      return 'between calls and the next request';
    default:
      return 'during a call';
  }
}
