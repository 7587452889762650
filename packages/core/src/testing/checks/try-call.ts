import { textOf } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf, toolErrorCodes } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { effectsProblem } from '../../scheduler/prepare-call.js';
import { resultProblem } from '../../scheduler/run-tool.js';
import { isUnusable } from '../../tools/own/given-result.js';
import type { Tool, ToolResult } from '../../tools/tools.js';
import { type Finding, finding } from '../finding.js';
import { claimFindings, type ToolClaim } from './claims.js';
import { changedPaths, readFolder, undeclaredPaths } from './folder.js';
import type { Attempt, LimitedCalls } from './limited-calls.js';

/** The needs of a call of a tool under examination. */
export interface Trial extends ToolClaim {
  calls: LimitedCalls;
}

export interface TriedCall {
  attempt: Attempt<ToolResult>;
  findings: Finding[];
}

const RESULT_LIMIT_BYTES = 1024 * 1024;

/** Executes one call, and finds what every call must hold to: an end, a usable result, no change but the declared ones. */
export async function tryCall(tool: Tool, params: object, trial: Trial): Promise<TriedCall> {
  const resources = await resourceCounts(tool);
  const effects = trial.folder ? await declaredEffects(tool, params, trial) : undefined;
  const before = readFolder(trial.folder);
  const attempt = await trial.calls.attempt(() =>
    tool.execute(structuredClone(params) as JsonObject, new AbortController().signal),
  );
  const changed = changedPaths(before, readFolder(trial.folder));
  const findings = [
    ...attemptFindings(attempt, tool, params, trial),
    ...claimFindings(trial, trial.claimsReadOnly ? changed : undeclaredPaths(changed, effects)),
  ];
  const left = attempt === 'hung' ? [] : await leftResources(tool, resources);
  if (left.length > 0)
    findings.push(finding('leftovers', `after execute there are still: ${left.join(', ')}.`, 'warning'));
  return { attempt, findings };
}

/** The declared effects with those of the plan; undefined when they are not known. */
async function declaredEffects(
  tool: Tool,
  given: object,
  { calls }: Trial,
): Promise<readonly Effect[] | undefined> {
  const params = structuredClone(given) as JsonObject;
  const { signal } = new AbortController();
  const attempt = await calls.attempt(async () => {
    await tool.prepare?.(params);
    const declared = await tool.effects?.(params);
    if (declared === undefined || effectsProblem(declared) !== null) return undefined;
    const details = await tool.shouldConfirmExecute(params, signal);
    await tool.discard?.(params);
    return [...declared, ...(details ? details.effects : [])];
  });
  return attempt !== 'hung' && 'result' in attempt ? attempt.result : undefined;
}

function attemptFindings(
  attempt: Attempt<ToolResult>,
  tool: Tool,
  params: object,
  { calls }: Trial,
): Finding[] {
  if (attempt === 'hung') {
    const seconds = calls.limits.callMs / 1000;
    return [finding('execution', `execute does not settle within ${seconds} s for ${show(params)}.`)];
  }
  if ('result' in attempt) return resultFindings(attempt.result, tool.name);
  return [
    finding(
      'execution',
      `execute threw for a valid sample (${messageOf(attempt.error)}); expected failures are results with an error.`,
    ),
  ];
}

export function resultFindings(result: ToolResult, tool: string): Finding[] {
  const problem = resultProblem(result);
  if (problem) return [finding('result', `the result can't be used: ${problem}.`)];
  const findings: Finding[] = [];
  if (isUnusable(result, tool)) findings.push(finding('result', `${result.error?.message}`));
  if (result.error && !(toolErrorCodes as readonly string[]).includes(result.error.code))
    findings.push(
      finding(
        'error-shape',
        `the error code ${result.error.code} is not one of ${toolErrorCodes.join(', ')}.`,
      ),
    );
  if (result.error && result.error.message.trim() === '')
    findings.push(finding('error-shape', 'the error has no message.'));
  const size = Buffer.byteLength(textOf(result.llmContent));
  if (size > RESULT_LIMIT_BYTES)
    findings.push(
      finding('bounded', `the result has ${size} bytes of text; bound it and say how to continue.`),
    );
  try {
    JSON.stringify(result);
  } catch {
    findings.push(finding('result', 'the result is not plain data.'));
  }
  return findings;
}

export function show(params: unknown): string {
  return (JSON.stringify(params) ?? String(params)).slice(0, 200);
}

const WATCHED = [
  'ProcessWrap',
  'PipeWrap',
  'TCPSocketWrap',
  'TCPServerWrap',
  'MessagePort',
  'Timeout',
  'FSReqPromise',
];
const CLOSING_ATTEMPTS = 50;

async function resourceCounts(tool: Tool): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  makeOwnStreams();
  const there = (await tool.activeResources?.()) ?? [];
  for (const name of [...process.getActiveResourcesInfo(), ...there])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Node makes the streams of the program when they are first looked at, which a call must not be blamed for. */
function makeOwnStreams(): void {
  for (const stream of [process.stdout, process.stderr]) stream.writableLength;
}

/** Resources that are closing get a moment to be gone. */
async function leftResources(tool: Tool, before: Map<string, number>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const after = await resourceCounts(tool);
    const left = WATCHED.filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
    if (left.length === 0 || attempt === CLOSING_ATTEMPTS) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
