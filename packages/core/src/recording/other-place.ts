import type { Recording } from './recording.js';

/** The recording as if it had been made in another folder: every path below its workspace is one below this. */
export function inWorkspace(recording: Recording, workspace: string): Recording {
  const from = recording.head.workspace;
  if (from === workspace || from.length < 2) return recording;
  const { head, history, requests, answers, entries, events, contentOf } = recording;
  const moved = { head, history, requests, answers, entries, events };
  return { ...(replaceTexts(moved, from, workspace) as typeof moved), contentOf };
}

function replaceTexts(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.includes(from) ? replaceIn(value, from, to) : value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceTexts(item, from, to)]));
}

/** `/a/b` in `/a/b/c`, not in `/a/bc`. */
function replaceIn(text: string, from: string, to: string): string {
  const pieces = text.split(from);
  return pieces.reduce((done, piece) => done + (/^[\w-]/.test(piece) ? from : to) + piece);
}
