import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { textOf } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, messageOf, toolErrorCodes } from '@toolwright/machine/base/errors.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import { createClock } from '@toolwright/machine/host/node-host.js';
import { detailsProblem, resultProblem } from '../scheduler/run-tool.js';
import type { Tool, ToolResult } from '../tools/tools.js';
import { checkSchema } from './check-schema.js';
import { type Finding, finding } from './finding.js';
import { mutantsOf } from './mutants.js';

/** Params to try a tool with. */
export interface ToolSamples {
  /** Params the tool accepts; each is executed. */
  valid: readonly object[];
  /** Params the tool must refuse, beside those that can be told from the schema. */
  invalid?: readonly unknown[];
  /** A folder in which nothing may change but by executing. */
  directory?: string;
  /** Nothing is executed: for tools of which nobody said what a harmless call is. */
  onlyLooks?: true;
}

const DESCRIPTION_LIMIT = 1024;
const RESULT_LIMIT_BYTES = 1024 * 1024;
const PATIENCE_MS = 30_000;
const CLOSING_ATTEMPTS = 50;

/** Judges any tool by what its users rely on. No findings means that it keeps all the promises. */
export async function checkTool(tool: Tool, samples: ToolSamples): Promise<Finding[]> {
  const findings = [
    ...checkNames(tool),
    ...checkSchema(tool.parameterSchema),
    ...(await checkValidation(tool, samples)),
  ];
  if (findings.some(({ check }) => check === 'members' || check === 'schema')) return findings;
  for (const params of samples.valid) {
    findings.push(...(await checkWords(tool, params)));
    if (samples.onlyLooks) continue;
    findings.push(
      ...(await checkAborted(tool, params, samples)),
      ...(await checkPlanning(tool, params, samples)),
    );
    findings.push(...(await checkExecution(tool, params)));
  }
  if (!samples.onlyLooks) findings.push(...(await checkRefusals(tool, samples)));
  return findings;
}

function checkNames(tool: Tool): Finding[] {
  const findings: Finding[] = [];
  for (const member of ['validateToolParams', 'getDescription', 'shouldConfirmExecute', 'execute'] as const) {
    if (typeof tool[member] !== 'function') findings.push(finding('members', `${member} is missing.`));
  }
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name ?? ''))
    findings.push(finding('name', 'name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.'));
  if (!tool.displayName?.trim()) findings.push(finding('name', 'displayName is empty.'));
  const length = tool.description?.trim().length ?? 0;
  if (length < 10)
    findings.push(
      finding('description', 'description is too short for a model to know when to use the tool.'),
    );
  if (length > DESCRIPTION_LIMIT)
    findings.push(
      finding('description', `description has ${length} characters; keep it below ${DESCRIPTION_LIMIT}.`),
    );
  return findings;
}

async function checkValidation(tool: Tool, { valid, invalid = [] }: ToolSamples): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (valid.length === 0)
    findings.push(finding('samples', 'there is no valid sample: nothing could be tried.'));
  const problemOf = async (params: unknown): Promise<string | null> => {
    try {
      await tool.prepare?.(params as object);
      return tool.validateToolParams(params as Record<string, unknown>);
    } catch (error) {
      findings.push(
        finding(
          'validation',
          `validateToolParams threw (${messageOf(error)}) for ${show(params)}; it must return the problem as text.`,
        ),
      );
      return 'threw';
    }
  };
  for (const params of valid) {
    const problem = await problemOf(params);
    if (problem !== null)
      findings.push(finding('validation', `a valid sample is refused: ${show(params)}: ${problem}`));
  }
  const mutants = valid
    .flatMap((params) => mutantsOf(tool.parameterSchema, params))
    .filter(({ params }) => validate(tool.parameterSchema, params) !== null);
  for (const { mistake, params } of mutants) {
    if ((await problemOf(params)) === null)
      findings.push(
        finding('validation', `the schema refuses params ${mistake}, validateToolParams accepts them.`),
      );
  }
  for (const params of invalid) {
    if ((await problemOf(params)) === null)
      findings.push(finding('validation', `an invalid sample is accepted: ${show(params)}`));
  }
  return findings;
}

async function checkWords(tool: Tool, params: object): Promise<Finding[]> {
  try {
    await tool.prepare?.(params);
    const description = tool.getDescription(params as Record<string, unknown>);
    if (typeof description !== 'string' || description.trim() === '')
      return [finding('description', 'getDescription gives no text.')];
    const effects = await tool.effects?.(params as Record<string, unknown>);
    if (effects !== undefined && !Array.isArray(effects))
      return [finding('effects', 'effects must return an array.')];
    const beyond = (effects ?? []).find(({ kind }) => !isWithin(tool.effectKinds, kind));
    if (beyond) return [finding('effects', `effects gives ${beyond.kind}, which effectKinds does not name.`)];
    return [];
  } catch (error) {
    // Saying no to a target is an answer, not a fault.
    if (isToolError(error)) return [];
    return [finding('description', `getDescription or effects threw for valid params: ${messageOf(error)}`)];
  }
}

/** A command can have every effect. */
function isWithin(kinds: Tool['effectKinds'], kind: Effect['kind']): boolean {
  return kinds === undefined || kinds.includes(kind) || kinds.includes('execute');
}

async function checkAborted(tool: Tool, params: object, { directory }: ToolSamples): Promise<Finding[]> {
  const before = treeDigest(directory);
  const signal = AbortSignal.abort({ kind: 'user' });
  const outcome = await settled(tool.execute({ ...params } as Record<string, unknown>, signal));
  if (outcome === 'hung')
    return [finding('aborted-work', 'execute does not settle when its signal is aborted already.')];
  const findings: Finding[] = [];
  if ('result' in outcome && !outcome.result?.error)
    findings.push(
      finding(
        'aborted-work',
        'execute succeeds although its signal is aborted already; it must do no work and say so.',
      ),
    );
  if (treeDigest(directory) !== before)
    findings.push(finding('aborted-work', 'execute changed files although its signal was aborted already.'));
  return findings;
}

async function checkPlanning(tool: Tool, params: object, { directory }: ToolSamples): Promise<Finding[]> {
  const before = treeDigest(directory);
  const copy = { ...params } as Record<string, unknown>;
  const findings: Finding[] = [];
  try {
    const details = await tool.shouldConfirmExecute(copy, new AbortController().signal);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(details)), details)) {
      findings.push(finding('confirmation', 'the confirmation details are not plain data.'));
    }
    const problem = detailsProblem(details);
    if (problem !== null) findings.push(finding('confirmation', `${problem}.`));
    await tool.discard?.(copy);
  } catch (error) {
    if (!isToolError(error))
      findings.push(finding('confirmation', `shouldConfirmExecute or discard threw: ${messageOf(error)}`));
  }
  if (treeDigest(directory) !== before)
    findings.push(
      finding('leftovers', 'asking and then not executing changed files; discard must leave nothing behind.'),
    );
  return findings;
}

async function checkExecution(tool: Tool, params: object): Promise<Finding[]> {
  const resources = await resourceCounts(tool);
  const outcome = await settled(
    tool.execute({ ...params } as Record<string, unknown>, new AbortController().signal),
  );
  if (outcome === 'hung')
    return [
      finding('execution', `execute does not settle within ${PATIENCE_MS / 1000} s for ${show(params)}.`),
    ];
  if ('error' in outcome)
    return [
      finding(
        'execution',
        `execute threw for a valid sample (${messageOf(outcome.error)}); expected failures are results with an error.`,
      ),
    ];
  const findings = checkResult(outcome.result);
  const left = await leftResources(tool, resources);
  if (left.length > 0)
    findings.push(finding('leftovers', `after execute there are still: ${left.join(', ')}.`, 'warning'));
  return findings;
}

function checkResult(result: ToolResult): Finding[] {
  const problem = resultProblem(result);
  if (problem) return [finding('result', `the result can't be used: ${problem}.`)];
  const findings: Finding[] = [];
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

async function checkRefusals(
  tool: Tool,
  { valid, invalid = [], directory }: ToolSamples,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const mutants = valid
    .slice(0, 1)
    .flatMap((params) => mutantsOf(tool.parameterSchema, params).map((mutant) => mutant.params));
  const refused = [...mutants, ...invalid].filter(
    (params) => validate(tool.parameterSchema, params) !== null || invalid.includes(params),
  );
  const before = treeDigest(directory);
  for (const params of refused) {
    const outcome = await settled(
      tool.execute(params as Record<string, unknown>, new AbortController().signal),
    );
    if (outcome === 'hung')
      findings.push(finding('error-shape', `execute does not settle for ${show(params)}.`));
    else if ('error' in outcome)
      findings.push(
        finding(
          'error-shape',
          `execute threw for ${show(params)} (${messageOf(outcome.error)}); it must return a result with an error.`,
        ),
      );
    else if (!outcome.result?.error)
      findings.push(finding('error-shape', `execute accepted ${show(params)}.`));
    else findings.push(...checkResult(outcome.result));
  }
  if (treeDigest(directory) !== before) findings.push(finding('leftovers', 'refused calls changed files.'));
  return findings;
}

type Attempt = { result: ToolResult } | { error: unknown } | 'hung';

async function settled(work: Promise<ToolResult>): Promise<Attempt> {
  const outcome = work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return (await withinDeadline(outcome, { ms: PATIENCE_MS, clock: createClock() })) ?? 'hung';
}

async function resourceCounts(tool: Tool): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const there = (await tool.activeResources?.()) ?? [];
  for (const name of [...process.getActiveResourcesInfo(), ...there])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
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

/** Resources that are closing get a moment to be gone. */
async function leftResources(tool: Tool, before: Map<string, number>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const after = await resourceCounts(tool);
    const left = WATCHED.filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
    if (left.length === 0 || attempt === CLOSING_ATTEMPTS) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Names, kinds, modes and contents of everything in the folder. */
function treeDigest(directory: string | undefined): string {
  if (directory === undefined) return '';
  const hash = createHash('sha256');
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name);
    const stat = lstatSync(path);
    hash.update(`${name}\0${stat.mode}\0`);
    if (stat.isFile()) hash.update(readFileSync(path));
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest('hex');
}

function show(params: unknown): string {
  return (JSON.stringify(params) ?? String(params)).slice(0, 200);
}
