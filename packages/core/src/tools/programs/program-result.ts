import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { type Part, type PartListUnion, textOf, toParts } from '@toolwright/machine/base/content.js';
import type { ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, jsonIn } from '@toolwright/machine/base/json.js';
import type { Ended } from '@toolwright/machine/host/processes/processes.js';
import type { Display } from '../display/display.js';
import { displayProblem } from '../display/display-problem.js';
import { errorResult, type ToolResult } from '../tools.js';
import { howItEnded, whatWasPrinted, wholeText } from './printed.js';

export interface ProgramLimits {
  timeoutMs: number;
  maxOutputBytes: number;
}

/** Turns the end of a program into the result of a call: its exit code decides, its standard error is told separately. */
export function resultOf(tool: string, ended: Ended, limits: ProgramLimits): ToolResult {
  const stopped = stopOf(tool, ended, limits);
  if (stopped) return errorResult(stopped.code, `${stopped.message}\n${whatWasPrinted(ended)}`);
  if (ended.exitCode !== 0)
    return errorResult('failed', `${tool} failed: it ${howItEnded(ended)}.\n${whatWasPrinted(ended)}`);
  if (ended.stdout.isBinary)
    return errorResult(
      'failed',
      `${tool} printed ${formatBytes(ended.stdout.totalBytes)} that are not text. It must print text, or JSON with parts whose data is base64.`,
    );
  return successOf(tool, ended);
}

function stopOf(
  tool: string,
  { stopped }: Ended,
  { timeoutMs, maxOutputBytes }: ProgramLimits,
): { code: ToolErrorCode; message: string } | null {
  switch (stopped?.kind) {
    case undefined:
      return null;
    case 'timeout':
      return {
        code: 'timeout',
        message: `${tool} was stopped: it did not end within ${timeoutMs / 1000} s.`,
      };
    case 'limit':
      return {
        code: 'too_large',
        message: stopped.message
          ? `${tool} was ${stopped.message}.`
          : `${tool} was stopped: it printed more than ${formatBytes(maxOutputBytes)}. Ask it for less.`,
      };
    case 'shutdown':
      return { code: 'cancelled', message: `${tool} was stopped because the program is shutting down.` };
    default:
      return { code: 'cancelled', message: `${tool} was cancelled by the user.` };
  }
}

function successOf(tool: string, ended: Ended): ToolResult {
  const complaints = wholeText(ended.stderr).trimEnd();
  const note = complaints ? `\n\nOn standard error:\n${complaints}` : '';
  const answer = answerIn(wholeText(ended.stdout));
  if ('problem' in answer)
    return errorResult('failed', `${tool} printed a result that can't be used: ${answer.problem}`);
  const { content, display, error } = answer;
  if (error) return { ...errorResult(error.code, error.message), returnDisplay: display || error.message };
  const text = textOf(content);
  const others = toParts(content).filter((part) => part.inlineData !== undefined).length;
  const shown = display ?? ([text.trim(), attachments(others)].filter(Boolean).join('\n') || '(no output)');
  return {
    llmContent: isEmpty(content) ? '(no output)' : content,
    // Beside data there is no place for what was said on standard error; the user saw it while the program ran.
    returnDisplay: typeof shown === 'string' ? `${shown}${note}` : shown,
  };
}

interface ProgramAnswer {
  content: PartListUnion;
  display: Display | undefined;
  error?: { code: ToolErrorCode; message: string };
}

/**
 * Text is an answer as it is, and so is JSON, but for an object that has nothing but the members of a result: it may
 * carry parts such as images, a text for the user, and an error.
 */
export function answerIn(output: string): ProgramAnswer | { problem: string } {
  const value = looksLikeResult(output) ? jsonIn(output) : undefined;
  if (!isJsonObject(value) || !isResult(value))
    return { content: output.replace(/\n$/, ''), display: undefined };
  const { llmContent, returnDisplay, error } = value;
  const undrawable = returnDisplay === undefined ? null : displayProblem(returnDisplay);
  if (undrawable !== null) return { problem: `its returnDisplay can't be shown: ${undrawable}` };
  const display = returnDisplay as Display | undefined;
  if (error !== undefined) {
    if (!isJsonObject(error) || typeof error['message'] !== 'string')
      return { problem: 'error must be {"message": "…"}.' };
    return { content: '', display, error: { code: 'failed', message: error['message'] } };
  }
  const parts = partsOf(llmContent);
  return 'problem' in parts ? parts : { content: parts.content, display };
}

const MEMBERS = ['llmContent', 'returnDisplay', 'error'];

function looksLikeResult(output: string): boolean {
  return output.trimStart().startsWith('{') && MEMBERS.some((member) => output.includes(`"${member}"`));
}

function isResult(value: JsonObject): boolean {
  const names = Object.keys(value);
  return names.every((name) => MEMBERS.includes(name)) && ('llmContent' in value || 'error' in value);
}

function partsOf(value: unknown): { content: PartListUnion } | { problem: string } {
  if (typeof value === 'string') return { content: value };
  const parts: Part[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const part = partOf(item);
    if (part === null)
      return {
        problem:
          'llmContent must be text, or a list of {"text": "…"} and {"inlineData": {"mimeType": "image/png", "data": "<base64>"}}.',
      };
    parts.push(part);
  }
  return { content: parts };
}

function partOf(item: unknown): Part | null {
  if (typeof item === 'string') return { text: item };
  if (!isJsonObject(item)) return null;
  if (typeof item['text'] === 'string') return { text: item['text'] };
  const data = item['inlineData'];
  if (!isJsonObject(data) || typeof data['mimeType'] !== 'string' || typeof data['data'] !== 'string')
    return null;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data['data'])) return null;
  return { inlineData: { mimeType: data['mimeType'], data: data['data'] } };
}

function isEmpty(content: PartListUnion): boolean {
  return toParts(content).every((part) => !part.inlineData && !part.text?.trim());
}

function attachments(count: number): string {
  return count === 0 ? '' : `[${plural(count, 'attachment')}]`;
}
