import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectKey } from '../../packages/core/src/session/journal.js';
import type { Machine } from '../program.js';

/** Writes a journal as the program would have written it. */
export function writeJournal(machine: Machine, id: string, entries: readonly object[]): void {
  const folder = join(machine.state, 'sessions', projectKey(machine.workspace));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const began = Date.parse('2026-01-02T03:04:05.000Z');
  const lines = entries.map((entry, index) =>
    JSON.stringify({ v: 1, at: new Date(began + index * 1_000).toISOString(), ...entry }),
  );
  writeFileSync(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`, { mode: 0o600 });
}

export function sessionStart(machine: Machine, id: string): object {
  const { workspace } = machine;
  return {
    type: 'session-start',
    sessionId: id,
    workspace,
    front: 'headless',
    provider: 'offline',
    model: 'offline',
  };
}

export function said(role: 'user' | 'model', text: string, more: object = {}): object {
  return { type: 'message', message: { role, parts: [{ text }] }, ...more };
}

/** A session of many calls, as one that worked through a large repository. */
export function manyCalls(machine: Machine, id: string, count: number): object[] {
  const usage = { inputTokens: 12_000, cachedTokens: 9_000, outputTokens: 300 };
  const calls = Array.from({ length: count }, (_, index) => {
    const callId = `call-${index}`;
    const path = `src/part-${index}.ts`;
    const display =
      index % 3 === 0
        ? {
            kind: 'diff',
            files: [
              {
                path,
                change: 'modify',
                unified: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a ${index}\n+b ${index}\n`,
                added: 1,
                removed: 1,
              },
            ],
          }
        : `${basename(path)}: ${'some output of the call '.repeat(8)}`;
    return [
      {
        type: 'call-start',
        callId,
        tool: index % 3 === 0 ? 'edit' : 'read_file',
        args: { file_path: path },
        effects: [{ kind: 'read', path: join(machine.workspace, path) }],
      },
      {
        type: 'call-decision',
        callId,
        decision: 'allow',
        reason: 'default mode allows reading',
        winner: { kind: 'mode', mode: 'default', class: 'read' },
      },
      {
        type: 'call-end',
        callId,
        tool: 'read_file',
        response: { name: 'read_file', response: { output: 'ok' } },
        display,
      },
      ...(index % 25 === 24 ? [said('model', `That was part ${index}.`, { usage })] : []),
    ];
  });
  return [sessionStart(machine, id), said('user', `Look at ${count} files`), ...calls.flat()];
}
