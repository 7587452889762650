import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import type { Redactor } from '../../base/secrets/redact.js';
import type { Clock, Log } from '../host.js';

export interface LogOptions {
  path: string;
  redactor: Redactor;
  clock: Pick<Clock, 'now'>;
  /** True to write more than errors. */
  debug?: boolean;
  /** The log is moved to `<path>.1` when it would grow beyond this. */
  maxBytes?: number;
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINE = 64 * 1024;

/**
 * Writes a JSON object per line, secrets removed first. Lines are written at once, so that the last words of a crash are there; a log that
 * can't be written never stops the program.
 */
export function createLog({ path, redactor, clock, debug = false, maxBytes = MAX_BYTES }: LogOptions): Log {
  const write = (level: 'debug' | 'error', message: string, data: unknown) => {
    try {
      const entry = {
        v: 1,
        time: new Date(clock.now()).toISOString(),
        pid: process.pid,
        level,
        message,
        data,
      };
      appendLine(path, bounded(toLine(entry, redactor)), maxBytes);
    } catch {
      // A log that can't be written leaves nobody to tell.
    }
  };
  return {
    path,
    debug: (message, data) => {
      if (debug) write('debug', message, data);
    },
    error: (message, error) => write('error', message, error),
  };
}

function toLine(entry: object, redactor: Redactor): string {
  const plain: unknown = JSON.parse(JSON.stringify(entry, replacer()));
  return JSON.stringify(redactor.data(plain));
}

/** Makes anything fit for JSON: errors with their causes, big numbers, functions, and data that contains itself. */
function replacer(): (this: unknown, key: string, value: unknown) => unknown {
  const ancestors: { source: unknown; shown: unknown }[] = [];
  return function (_key, value) {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function' || typeof value === 'symbol') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    while (ancestors.length > 0 && ancestors.at(-1)?.shown !== this) ancestors.pop();
    if (ancestors.some(({ source }) => source === value)) return '[circular]';
    const shown = value instanceof Error ? describeError(value) : value;
    ancestors.push({ source: value, shown });
    return shown;
  };
}

/** The fields of an error that matter are not enumerable. */
function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, stack, cause };
}

function bounded(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const { data: _dropped, ...rest } = JSON.parse(line) as { message: string; data?: unknown };
  const message = rest.message.slice(0, MAX_LINE / 4);
  return JSON.stringify({ ...rest, message, shortened: true, data: line.slice(0, MAX_LINE / 4) });
}

/** Opens the file for every line: another process may have moved it away. */
function appendLine(path: string, line: string, maxBytes: number): void {
  const bytes = Buffer.from(`${line}\n`);
  let descriptor = open(path);
  try {
    const { size, ino } = fstatSync(descriptor);
    if (size > 0 && size + bytes.length > maxBytes) {
      if (statSync(path).ino === ino) renameSync(path, `${path}.1`);
      closeSync(descriptor);
      descriptor = open(path);
    }
    writeSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch {
    for (const folder of [dirname(dirname(path)), dirname(path)]) makeUnlessThere(folder);
    return openSync(path, 'a', 0o600);
  }
}

function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  }
}
