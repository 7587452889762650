import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { HookEvent } from './hook.js';

/** The outcome of running a hook. */
export interface HookRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Why it was ended, in words; null when it ended by itself. */
  stopped: string | null;
}

/** The answer of a hook, in one form for all formats. `allow` grants nothing: it is silence. */
export interface HookAnswer {
  decision: 'none' | 'ask' | 'deny';
  reason: string;
  /** Arguments in place of those of the call. */
  input?: Record<string, unknown>;
  /** Text for the model. */
  context?: string;
  /** Text for the user. */
  message?: string;
  /** The whole run is to end here. */
  stops?: true;
  /** It gave no answer: it was ended, or could not be run. */
  isEnded?: true;
  /** The hook itself failed: told to the user. */
  failure?: string;
}

const LONGEST_TEXT = 10_000;

/** Reads exit code and output. Whatever can't be understood is a failure of the hook and changes nothing. */
export function answerOf(event: HookEvent, { exitCode, stdout, stderr, stopped }: HookRun): HookAnswer {
  const silent: HookAnswer = { decision: 'none', reason: '' };
  // A guard that does not answer must not count as a yes.
  if (stopped !== null)
    return {
      ...silent,
      decision: event === 'PreToolUse' ? 'ask' : 'none',
      reason: `it ${stopped}`,
      failure: `it ${stopped}`,
      isEnded: true,
    };
  if (exitCode === 2)
    return { ...silent, decision: 'deny', reason: bounded(stderr) || 'no reason was given' };
  if (exitCode !== 0) {
    const said = bounded(stderr).split('\n')[0];
    return { ...silent, failure: `it ended with exit code ${exitCode}${said ? `: ${said}` : ''}` };
  }
  const text = stdout.trim();
  if (!text.startsWith('{'))
    return takesPlainText(event) && text !== '' ? { ...silent, context: bounded(text) } : silent;
  try {
    const answer: unknown = JSON.parse(text);
    return isJsonObject(answer) ? answerInJson(event, answer) : silent;
  } catch {
    return {
      ...silent,
      failure: `it printed something that begins like JSON but is not: ${text.slice(0, 80)}`,
    };
  }
}

function takesPlainText(event: HookEvent): boolean {
  return event === 'UserPromptSubmit' || event === 'SessionStart';
}

function answerInJson(event: HookEvent, answer: JsonObject): HookAnswer {
  const specific = isJsonObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const isStopped = answer['continue'] === false;
  const decision = isStopped ? 'deny' : decisionOf(specific['permissionDecision'] ?? answer['decision']);
  const reason = textIn(
    isStopped ? answer['stopReason'] : undefined,
    specific['permissionDecisionReason'],
    answer['reason'],
  );
  const input = specific['updatedInput'] ?? specific['tool_input'];
  const context = textIn(specific['additionalContext']);
  const message = textIn(answer['systemMessage']);
  return {
    decision: decision === 'ask' && event !== 'PreToolUse' ? 'none' : decision,
    reason: reason || (decision === 'none' ? '' : 'no reason was given'),
    input: isJsonObject(input) && event === 'PreToolUse' ? input : undefined,
    context,
    message,
    stops: isStopped || undefined,
  };
}

function decisionOf(written: unknown): HookAnswer['decision'] {
  if (written === 'deny' || written === 'block') return 'deny';
  return written === 'ask' ? 'ask' : 'none';
}

function textIn(...candidates: unknown[]): string {
  return bounded(candidates.find((each): each is string => typeof each === 'string' && each !== '') ?? '');
}

function bounded(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > LONGEST_TEXT ? `${trimmed.slice(0, LONGEST_TEXT)}…` : trimmed;
}
