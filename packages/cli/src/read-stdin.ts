import { UsageError } from './exit-codes.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** All of standard input as text. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    size += bytes.length;
    if (size > MAX_BYTES)
      throw new UsageError('Standard input is larger than 64 MB. Put it in a file and name the file.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The lines of standard input as they come. */
export async function* stdinLines(): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of process.stdin) {
    pending += decoder.decode(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer), {
      stream: true,
    });
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    yield* lines;
    if (pending.length > MAX_BYTES) throw new UsageError('A line of standard input is larger than 64 MB.');
  }
  pending += decoder.decode();
  if (pending !== '') yield pending;
}
