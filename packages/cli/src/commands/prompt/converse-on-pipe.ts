import type { Agent, AgentResult, ConfirmRequest, Outcome } from '@toolwright/core';
import { isJsonObject, messageOf, questionDigest, whenAborted } from '@toolwright/core/front-end';
import { exitCodeOf, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import { stdinLines, tooLong } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { openHeadless, withFiles } from './headless-run.js';
import { choicesOf } from './limits.js';
import { createOutput, type Output } from './output.js';

/** A line of standard input. */
type PipeLine =
  | { type: 'prompt'; text: string }
  | { type: 'answer'; digest: string; answer: 'yes' | 'no'; reason?: string }
  | { type: 'cancel' };

/** A conversation over pipes: prompts, answers and cancels come as lines, events go out as lines. */
export async function converseOnPipe(args: Arguments): Promise<number> {
  requireOutput(args);
  const conversation = choicesOf(args);
  const output = createOutput('stream-json');
  const desk = createDesk();
  const agent = await openHeadless(args, { output, conversation, confirm: desk.confirm });
  try {
    return await takeLines({ agent, output, desk, signal: abortOnInterrupt() });
  } finally {
    await agent.close();
  }
}

function requireOutput({ values, words }: Arguments): void {
  if ((values.get('output-format') ?? 'stream-json') !== 'stream-json')
    throw new UsageError('--input-format stream-json needs --output-format stream-json.');
  if (values.has('prompt') || words.length > 0)
    throw new UsageError('With --input-format stream-json prompts come as lines on standard input.');
  for (const name of ['json-schema', 'on-question'])
    if (values.has(name)) throw new UsageError(`--${name} does not go with --input-format stream-json.`);
}

interface Desk {
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** False where no such question is open. */
  answer(line: PipeLine & { type: 'answer' }): boolean;
  /** Called when nobody answers any more. */
  close(): void;
}

/** The question that is open, and the line that answers it. */
function createDesk(): Desk {
  let open: { digest: string; take(outcome: Outcome): void } | null = null;
  let isClosed = false;
  const nobody: Outcome = { kind: 'cancel', reason: 'standard input has ended', nobodyToAsk: true };
  return {
    confirm(request, signal) {
      if (isClosed) return Promise.resolve(nobody);
      const digest = questionDigest(request);
      printJson({ v: 1, type: 'question', callId: request.callId, digest });
      return new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
        open = {
          digest,
          take(outcome) {
            open = null;
            signal.removeEventListener('abort', stop);
            resolve(outcome);
          },
        };
      });
    },
    answer({ digest, answer, reason }) {
      if (open?.digest !== digest) return false;
      open.take(
        answer === 'yes' ? { kind: 'once' } : { kind: 'cancel', reason: reason ?? 'no reason was given' },
      );
      return true;
    },
    close() {
      isClosed = true;
      open?.take(nobody);
    },
  };
}

const MOST_WAITING = 100;

interface Taking {
  agent: Agent;
  output: Output;
  desk: Desk;
  signal: AbortSignal;
}

/** Takes lines until there are no more, and ends once the last prompt is done. */
async function takeLines({ agent, output, desk, signal }: Taking): Promise<number> {
  const state = { code: 0, running: null as AbortController | null };
  let last: Promise<void> = Promise.resolve();
  const perform = async (text: string): Promise<void> => {
    if (signal.aborted) return;
    state.running = new AbortController();
    const either = AbortSignal.any([signal, state.running.signal]);
    const result = await promptOnce(text, { agent, output, signal: either });
    state.running = null;
    output.end({ sessionId: agent.session.id, result, apart: null, parked: null });
    state.code = exitCodeOf({
      ...result,
      unasked: result.denials.filter(({ by }) => by === 'nobody-to-ask').length,
    });
  };
  let waiting = 0;
  /** Gives what is wrong with a line at this moment. */
  const take = (line: PipeLine): string | null => {
    if (line.type === 'answer') return desk.answer(line) ? null : 'No question with this digest is open.';
    if (line.type === 'cancel') {
      if (state.running === null) return 'Nothing runs that could be cancelled.';
      state.running.abort({ kind: 'user' });
      return null;
    }
    if (waiting >= MOST_WAITING) return `${MOST_WAITING} prompts wait already. Send this one again later.`;
    waiting += 1;
    last = last.then(() => {
      waiting -= 1;
      return perform(line.text);
    });
    return null;
  };
  let number = 0;
  const ended = whenAborted(signal);
  const reading = (async () => {
    for await (const text of stdinLines()) {
      number += 1;
      if (text !== tooLong && text.trim() === '') continue;
      const line = readLine(text);
      const problem = 'problem' in line ? line.problem : take(line);
      if (problem !== null) printJson({ v: 1, type: 'error', line: number, message: problem });
    }
    desk.close();
  })();
  await Promise.race([reading, ended]);
  await last;
  if (signal.aborted) process.stdin.destroy();
  return signal.aborted ? exitCodeOf({ reason: 'cancelled', unasked: 0 }) : state.code;
}

async function promptOnce(
  text: string,
  { agent, output, signal }: { agent: Agent; output: Output; signal: AbortSignal },
): Promise<AgentResult> {
  try {
    return await agent.prompt(await withFiles(text, { agent, output, signal }), signal);
  } catch (error) {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const failure = { kind: 'failed', message: messageOf(error) };
    return {
      reason: 'failed',
      response: '',
      turns: 0,
      calls: 0,
      usage,
      denials: [],
      changes: [],
      error: failure,
    };
  }
}

function answerIn({ digest, answer, reason }: Record<string, unknown>): PipeLine | { problem: string } {
  if (typeof digest !== 'string' || (answer !== 'yes' && answer !== 'no'))
    return { problem: 'An answer needs digest, and answer: "yes" or "no".' };
  if (reason !== undefined && typeof reason !== 'string')
    return { problem: 'The reason of an answer must be a text.' };
  return { type: 'answer', digest, answer, reason };
}

const inputTypes = ['prompt', 'answer', 'cancel'];

function readLine(text: string | typeof tooLong): PipeLine | { problem: string } {
  if (text === tooLong) return { problem: 'The line is longer than 64 MB.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `The line is not JSON: ${messageOf(error)}` };
  }
  if (!isJsonObject(value)) return { problem: 'The line is not a JSON object.' };
  const { type, text: prompt, digest, answer, reason } = value;
  if (type === 'prompt')
    return typeof prompt === 'string' && prompt.trim() !== ''
      ? { type, text: prompt }
      : { problem: 'A prompt needs text.' };
  if (type === 'answer') return answerIn({ digest, answer, reason });
  if (type === 'cancel') return { type };
  return {
    problem: `The type ${JSON.stringify(type)} is not known. The types are ${inputTypes.join(', ')}.`,
  };
}
