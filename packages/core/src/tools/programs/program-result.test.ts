import type { CapturedOutput, Ended } from '@toolwright/machine/host/processes/processes.js';
import { describe, expect, it } from 'vitest';
import { answerIn, resultOf } from './program-result.js';

const captured = (text: string): CapturedOutput => ({
  head: text,
  tail: '',
  totalBytes: Buffer.byteLength(text),
  omittedBytes: 0,
  isBinary: false,
  encoding: 'utf-8',
});
const ended = (stdout: string, more: Partial<Ended> = {}, stderr = ''): Ended => ({
  exitCode: 0,
  signal: null,
  stopped: null,
  stdout: captured(stdout),
  stderr: captured(stderr),
  survivors: [],
  left: 0,
  durationMs: 1,
  ...more,
});
const limits = { timeoutMs: 5_000, maxOutputBytes: 1024 };
const result = (...given: Parameters<typeof ended>) => resultOf('t', ended(...given), limits);

describe('the answer of a program', () => {
  it('is its text, and its complaints are shown to the user only', () => {
    expect(result('42\n', {}, 'slow today\n')).toEqual({
      llmContent: '42',
      returnDisplay: '42\n\nOn standard error:\nslow today',
    });
    expect(result('')).toEqual({ llmContent: '(no output)', returnDisplay: '(no output)' });
  });

  it('may be JSON of its own, which stays as it is', () => {
    expect(result('{"total": 3}\n').llmContent).toBe('{"total": 3}');
    expect(result('{"llmContent": "a", "total": 3}').llmContent).toBe('{"llmContent": "a", "total": 3}');
  });

  it('may carry several parts, images too, and words for the user', () => {
    const parts = [{ text: 'a chart' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
    expect(result(JSON.stringify({ llmContent: parts }))).toEqual({
      llmContent: parts,
      returnDisplay: 'a chart\n[1 attachment]',
    });
    expect(result(JSON.stringify({ llmContent: 'x', returnDisplay: '**x**' }))).toEqual({
      llmContent: 'x',
      returnDisplay: '**x**',
    });
  });

  it('may carry a display as data, whatever it says on standard error', () => {
    const returnDisplay = { kind: 'fields', fields: [['port', 22]] };
    const given = { llmContent: 'x', returnDisplay };
    expect(result(JSON.stringify(given))).toEqual(given);
    expect(result(JSON.stringify(given), {}, 'slow today')).toEqual(given);
  });

  it('may be an error although the status is 0', () => {
    expect(result('{"error": {"message": "No such city. Try another."}}').error).toEqual({
      code: 'failed',
      message: 'No such city. Try another.',
    });
  });

  it.each([
    [{ llmContent: [{ image: 'AAAA' }] }, 'llmContent must be text, or a list of'],
    [
      { llmContent: { inlineData: { mimeType: 'image/png', data: 'not base64!' } } },
      'llmContent must be text, or a list of',
    ],
    [{ llmContent: 'x', returnDisplay: 7 }, "its returnDisplay can't be shown: it is 7. A display is text, "],
    [{ error: 'no' }, 'error must be {"message": "…"}.'],
  ])('that is %j is refused', (value, problem) => {
    expect(answerIn(JSON.stringify(value))).toEqual({ problem: expect.stringContaining(problem) });
    expect(result(JSON.stringify(value)).error?.message).toContain("t printed a result that can't be used: ");
  });

  it.each<[string, Partial<Ended>, string, string]>([
    ['a status other than 0', { exitCode: 3 }, 'failed', 't failed: it ended with status 3.'],
    ['a signal', { exitCode: null, signal: 'SIGSEGV' }, 'failed', 't failed: it was ended by SIGSEGV.'],
    [
      'its time',
      { exitCode: null, stopped: { kind: 'timeout' } },
      'timeout',
      't was stopped: it did not end within 5 s.',
    ],
    [
      'too much output',
      { exitCode: null, stopped: { kind: 'limit' } },
      'too_large',
      't was stopped: it printed more than 1 kB. Ask it for less.',
    ],
    ['a cancel', { exitCode: null, stopped: { kind: 'user' } }, 'cancelled', 't was cancelled by the user.'],
    [
      'our end',
      { exitCode: null, stopped: { kind: 'shutdown' } },
      'cancelled',
      't was stopped because the program is shutting down.',
    ],
  ])('ended by %s is an error with all that was printed', (_, how, code, message) => {
    expect(result('half', how, 'oops').error).toEqual({
      code,
      message: `${message}\nOn standard error: oops\nOn standard output: half`,
    });
  });

  it('that is not text is refused', () => {
    const stdout = { ...captured('\0\0'), isBinary: true };
    expect(resultOf('t', { ...ended(''), stdout }, limits).error?.message).toBe(
      't printed 2 bytes that are not text. It must print text, or JSON with parts whose data is base64.',
    );
  });
});
