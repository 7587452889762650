import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { JsonObject } from '@toolwright/core';
import { validateJson } from '@toolwright/core/front-end';
import type { FakeModelServer } from '@toolwright/core/testing';
import { type Machine, program } from '../program.js';

export interface Line {
  id?: string | number | null;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
  error?: { code: number; message: string };
}

/** An editor without a library: it says what it is told to, and keeps every byte it hears. */
export interface RawEditor {
  /** Text is sent as it is, anything else as a message. */
  send(message: object | string): void;
  /** Resolves with the response. */
  request(method: string, params?: object, id?: string | number): Promise<Line>;
  notify(method: string, params: object): void;
  /** The first message that fits, also one that came before. */
  heard(fits: (line: Line) => boolean): Promise<Line>;
  /** Gives the bytes heard, whole and in order. */
  output(): Buffer;
  lines: Line[];
  errors(): string;
  /** Closes its end; gives the exit code. */
  close(): Promise<number | null>;
}

export function openRawEditor(machine: Machine, model: FakeModelServer): RawEditor {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const child = spawn(process.execPath, [program, 'acp'], {
    cwd: machine.workspace,
    env: { PATH, LANG, HOME: machine.home, NO_COLOR: '1', ...model.environment() },
  });
  const bytes: Buffer[] = [];
  const lines: Line[] = [];
  const looking = new Set<() => void>();
  let rest = '';
  let errors = '';
  let lastId = 1_000;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  child.stdout.on('data', (chunk: Buffer) => {
    bytes.push(chunk);
    const parts = (rest + chunk.toString('latin1')).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(Buffer.from(part, 'latin1').toString('utf8')) as Line));
    for (const look of [...looking]) look();
  });
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  const send = (message: object | string): void => {
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`${text}\n`);
  };
  const heard = (fits: (line: Line) => boolean): Promise<Line> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find(fits);
        if (!found) return;
        looking.delete(look);
        resolve(found);
      };
      looking.add(look);
      look();
    });
  return {
    send,
    heard,
    lines,
    request(method, params = {}, id = ++lastId) {
      send({ id, method, params });
      return heard((line) => line.method === undefined && line.id === id);
    },
    notify: (method, params) => send({ method, params }),
    output: () => Buffer.concat(bytes),
    errors: () => errors,
    close() {
      child.stdin.end();
      return ended;
    },
  };
}

type Definition = JsonObject & { properties?: JsonObject };

/** The schema that the protocol publishes. */
const { $defs } = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json') as {
  $defs: Record<string, Definition>;
};

const byMethod = (side: string, kind: string): Map<string, string> =>
  new Map(
    Object.entries($defs)
      .filter(([name, each]) => each['x-side'] === side && name.endsWith(kind))
      .map(([name, each]) => [String(each['x-method']), name]),
  );
const results = byMethod('agent', 'Response');
const requests = byMethod('client', 'Request');
const notifications = byMethod('client', 'Notification');

/** Names the objection of the published schema to a message of ours; `method` is that of the request it answers. */
export function problemOf(line: Line, method = ''): string | null {
  const name = nameOf(line, method);
  if (name === undefined) return line.error ? null : `there is no ${line.method ?? method}`;
  const value = line.method === undefined ? line.result : line.params;
  const odd = Object.keys(value ?? {}).filter((key) => !Object.hasOwn($defs[name]?.properties ?? {}, key));
  return odd.length > 0
    ? `${name} has no ${odd.join()}`
    : validateJson({ $ref: `#/$defs/${name}`, $defs }, value);
}

function nameOf({ id, method, error }: Line, answered: string): string | undefined {
  if (error) return undefined;
  if (method === undefined) return results.get(answered);
  return (id === undefined ? notifications : requests).get(method);
}
