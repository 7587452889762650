import { stripVTControlCharacters } from 'node:util';
import type { FileDiff } from '@toolwright/core';
import { terminalSafe, terminalSafeLine, unfinishedEnd } from '@toolwright/core/front-end';

declare const isSafe: unique symbol;

/** Text that can go to a terminal. The state holds nothing else for a drawing to show. */
export type SafeText = string & { readonly [isSafe]: true };

export function safe(text: string): SafeText {
  return terminalSafe(text) as SafeText;
}

/** Escapes text that stands inside a line of ours. */
export function safeLine(text: string): SafeText {
  return terminalSafeLine(text) as SafeText;
}

export interface SafeFile {
  path: SafeText;
  change: SafeText;
  unified: SafeText;
  added: number;
  removed: number;
}

export type SafeDiff = readonly SafeFile[];

export function safeDiff({ files }: FileDiff): SafeDiff {
  return files.map(({ path, change, unified, added, removed }) => ({
    path: safeLine(path),
    change: safeLine(change),
    unified: safe(unified),
    added,
    removed,
  }));
}

/** Text that arrives in pieces: a line end or character cut in two waits for its other half. */
export interface TextSoFar {
  text: SafeText;
  cut: string;
}

export const noText: TextSoFar = { text: safe(''), cut: '' };

export function appended({ text, cut }: TextSoFar, piece: string): TextSoFar {
  const raw = cut + piece;
  const end = unfinishedEnd(raw);
  const whole = raw.slice(0, raw.length - end.length);
  return { text: (text + safe(whole)) as SafeText, cut: end };
}

export function ended({ text, cut }: TextSoFar): SafeText {
  return (text + safe(cut)) as SafeText;
}

const TAIL = 16_384;

/** The last lines of what a program prints, the way a terminal would leave them: colours gone, progress bars collapsed. */
export function tailOf(raw: string, lines: number): SafeText[] {
  const shown = stripVTControlCharacters(raw)
    .split(/\r?\n/)
    .map((row) => row.replace(/\r+$/, ''))
    .map((row) => row.slice(row.lastIndexOf('\r') + 1).trimEnd())
    .filter((row) => row !== '');
  return shown.slice(-lines).map(safe);
}

export function keptTail(raw: string, piece: string): string {
  const whole = raw + piece;
  return whole.length <= TAIL ? whole : whole.slice(-TAIL);
}
