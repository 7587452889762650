import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { clipBytes, clipBytesFromEnd } from '@toolwright/machine/base/truncate.js';
import type { CapturedOutput, Ended } from '@toolwright/machine/host/processes/processes.js';

export const PRINTED_NOTHING = 'It printed nothing.';

const SHOWN_BYTES = 2_000;

export function wholeText({ head, tail, omittedBytes }: CapturedOutput): string {
  return omittedBytes === 0 ? head + tail : `${head}\n… ${formatBytes(omittedBytes)} not kept …\n${tail}`;
}

/** The output of a program, short enough for a message: the end of standard error and the beginning of standard output. */
export function whatWasPrinted({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): string {
  const complaints = wholeText(stderr).trim();
  const output = wholeText(stdout).trim();
  const parts = [
    ...(complaints ? [`On standard error: ${end(complaints)}`] : []),
    ...(output ? [`On standard output: ${beginning(output)}`] : []),
  ];
  return parts.length === 0 ? PRINTED_NOTHING : parts.join('\n');
}

function beginning(text: string): string {
  const kept = clipBytes(text, SHOWN_BYTES);
  return kept.length < text.length ? `${kept}…` : text;
}

function end(text: string): string {
  const kept = clipBytesFromEnd(text, SHOWN_BYTES);
  return kept.length < text.length ? `…${kept}` : text;
}

export function howItEnded({ exitCode, signal }: Pick<Ended, 'exitCode' | 'signal'>): string {
  return exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${exitCode}`;
}
