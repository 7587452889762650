import { terminalSafe, terminalSafeJson, terminalSafeLine } from '@toolwright/core/front-end';
import { writeOnceFree } from './held-terminal.js';

/** Prints text on standard output, with nothing in it that could act on a terminal. */
export function print(text: string): void {
  process.stdout.write(`${terminalSafe(text)}\n`);
}

/** Prints text on one line, also where it holds line breaks. */
export function printLine(text: string): void {
  process.stdout.write(`${terminalSafeLine(text)}\n`);
}

export function printJson(value: unknown, indent?: number): void {
  process.stdout.write(`${terminalSafeJson(value, indent)}\n`);
}

/** Tells the user something beside the output, on standard error. */
export function warn(text: string): void {
  writeOnceFree(() => process.stderr.write(`toolwright: ${terminalSafe(text)}\n`));
}
