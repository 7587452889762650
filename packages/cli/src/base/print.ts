import { terminalSafe, terminalSafeJson, terminalSafeLine } from '@toolwright/core/front-end';
import { writeOnceFree } from './held-terminal.js';
import { writeOutput } from './standard-output.js';

/** Prints text on standard output, with nothing in it that could act on a terminal. */
export function print(text: string): void {
  writeOutput(`${terminalSafe(text)}\n`);
}

/** Prints text on one line, also where it holds line breaks. */
export function printLine(text: string): void {
  writeOutput(`${terminalSafeLine(text)}\n`);
}

export function printJson(value: unknown, indent?: number): void {
  writeOutput(`${terminalSafeJson(value, indent)}\n`);
}

/** Tells the user something beside the output, on standard error. */
export function warn(text: string): void {
  writeOnceFree(() => process.stderr.write(`toolwright: ${terminalSafe(text)}\n`));
}
