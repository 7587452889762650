import { isDeepStrictEqual } from 'node:util';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { leftOutEffects } from '../scheduler/exact-effects.js';
import { effectsProblem } from '../scheduler/prepare-call.js';
import { detailsProblem } from '../scheduler/run-tool.js';
import {
  definitionSentence,
  type JudgedDefinition,
  judgeDefinition,
} from '../tools/definition/judge-definition.js';
import type { ConfirmationDetails, Tool } from '../tools/tools.js';
import { type ComparedFolder, changedPaths, comparedFolder, readFolder } from './checks/folder.js';
import { type CheckLimits, type LimitedCalls, limitedCalls } from './checks/limited-calls.js';
import { watchStrayErrors } from './checks/stray-errors.js';
import { resultFindings, show, type Trial, tryCall } from './checks/try-call.js';
import { type Finding, finding, isFault } from './finding.js';

/** Params to try a tool with. */
export interface ToolSamples {
  /** Params the tool accepts; each is executed. */
  valid: readonly object[];
  /** Params the tool must refuse, beside those that can be told from the schema. */
  invalid?: readonly unknown[];
  /** A folder in which nothing may change but by executing, and then only what the effects name. */
  directory?: string | ComparedFolder;
  /** Nothing is executed, and a refusal is no fault: for samples that nobody vouches for. */
  onlyLooks?: true;
  /** The definition as its author wrote it, where the tool carries it in other words. */
  definition?: JudgedDefinition;
  /** The tool says that it only reads. */
  claimsReadOnly?: boolean;
  limits?: Partial<CheckLimits>;
}

/** Calls that are quicker can't be cancelled in the middle. */
const SHORTEST_CANCELLED_MS = 40;
const LATEST_CANCEL_MS = 500;

/** Judges any tool by what its users rely on. No findings means that it keeps all the promises. */
export async function checkTool(tool: Tool, samples: ToolSamples): Promise<Finding[]> {
  return (await examineTool(tool, samples)).filter(isFault);
}

/** The same with notes, which are no faults. */
export async function examineTool(tool: Tool, samples: ToolSamples): Promise<Finding[]> {
  const findings = [
    ...checkMembers(tool),
    ...judgeDefinition(samples.definition ?? tool).map((found) =>
      finding(found.check, definitionSentence(found), found.level),
    ),
  ];
  if (findings.some(({ check }) => check === 'members' || check === 'schema')) return findings;
  const stray = watchStrayErrors();
  try {
    findings.push(...(await checkValidation(tool, samples)), ...(await checkCalls(tool, samples)));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    stray.stop();
  }
  return [...findings, ...strayFindings(stray.errors)];
}

/** Findings about errors that were thrown outside a call. */
export function strayFindings(errors: readonly unknown[]): Finding[] {
  return errors.map((error) =>
    finding(
      'stray-error',
      `it threw when its call had returned (${messageOf(error)}): await all that a call starts, and catch in timers.`,
    ),
  );
}

function checkMembers(tool: Tool): Finding[] {
  const findings: Finding[] = [];
  for (const member of ['validateToolParams', 'getDescription', 'shouldConfirmExecute', 'execute'] as const) {
    if (typeof tool[member] !== 'function') findings.push(finding('members', `${member} is missing.`));
  }
  for (const member of ['name', 'description'] as const) {
    if (typeof tool[member] !== 'string') findings.push(finding('members', `${member} is missing.`));
  }
  if (!tool.displayName?.trim()) findings.push(finding('name', 'displayName is empty.'));
  return findings;
}

async function checkValidation(
  tool: Tool,
  { valid, invalid = [], onlyLooks }: ToolSamples,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (valid.length === 0 && !onlyLooks)
    findings.push(finding('samples', 'there is no valid sample: nothing could be tried.'));
  const problemOf = async (params: unknown): Promise<string | null> => {
    try {
      await tool.prepare?.(params as object);
      return tool.validateToolParams(params as JsonObject);
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
    if (problem !== null && !onlyLooks)
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
  // Mistakes that only `run` can find are accepted here: they must be refused when the call is executed.
  for (const params of invalid) {
    if ((await problemOf(params)) === null && onlyLooks)
      findings.push(finding('validation', `an invalid sample is accepted: ${show(params)}`));
  }
  return findings;
}

/** Tries each sample, and then what must be refused. A call that hangs ends it. */
async function checkCalls(tool: Tool, samples: ToolSamples): Promise<Finding[]> {
  const { directory, claimsReadOnly } = samples;
  const folder = comparedFolder(directory);
  const trial: Trial = { calls: limitedCalls(samples.limits), folder, claimsReadOnly };
  const { calls } = trial;
  const findings: Finding[] = [];
  let slowest = { ms: 0, params: {} };
  for (const params of samples.valid) {
    findings.push(...(await checkWords(tool, params, calls)));
    if (samples.onlyLooks) continue;
    if (!calls.isOver()) findings.push(...(await checkAborted(tool, params, trial)));
    if (!calls.isOver()) findings.push(...(await checkPlanning(tool, params, trial)));
    if (calls.isOver()) break;
    const tried = await tryCall(tool, params, trial);
    findings.push(...tried.findings);
    if (tried.attempt !== 'hung' && 'result' in tried.attempt && tried.attempt.ms > slowest.ms)
      slowest = { ms: tried.attempt.ms, params };
  }
  if (samples.onlyLooks) return findings;
  if (!calls.isOver() && slowest.ms >= SHORTEST_CANCELLED_MS)
    findings.push(...(await checkCancelled(tool, slowest, calls)));
  if (!calls.isOver()) findings.push(...(await checkRefusals(tool, samples, trial)));
  if (calls.isOver())
    findings.push(
      finding('execution', 'a call hung, or the time for the check was over: the rest was not tried.'),
    );
  return findings;
}

async function checkWords(tool: Tool, given: object, calls: LimitedCalls): Promise<Finding[]> {
  const params = given as JsonObject;
  const attempt = await calls.attempt(async () => {
    await tool.prepare?.(params);
    const description = tool.getDescription(params);
    if (typeof description !== 'string' || description.trim() === '')
      return [finding('description', 'getDescription gives no text.')];
    const effects = await tool.effects?.(params);
    const problem = effectsProblem(effects);
    if (problem !== null) return [finding('effects', `${problem}.`)];
    const beyond = (effects ?? []).find(({ kind }) => !isWithin(tool.effectKinds, kind));
    if (beyond) return [finding('effects', `effects gives ${beyond.kind}, which effectKinds does not name.`)];
    return [];
  });
  if (attempt === 'hung') return [finding('effects', `effects does not settle for ${show(given)}.`)];
  if ('result' in attempt) return attempt.result;
  // Saying no to a target is an answer, not a fault.
  if (isToolError(attempt.error)) return [];
  return [
    finding('description', `getDescription or effects threw for valid params: ${messageOf(attempt.error)}`),
  ];
}

/** A command can have every effect. */
function isWithin(kinds: Tool['effectKinds'], kind: Effect['kind']): boolean {
  return kinds === undefined || kinds.includes(kind) || kinds.includes('execute');
}

async function checkAborted(tool: Tool, params: object, { calls, folder }: Trial): Promise<Finding[]> {
  const before = readFolder(folder);
  const signal = AbortSignal.abort({ kind: 'user' });
  const outcome = await calls.attempt(() => tool.execute({ ...params } as JsonObject, signal));
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
  if (changedPaths(before, readFolder(folder)).length > 0)
    findings.push(finding('aborted-work', 'execute changed files although its signal was aborted already.'));
  return findings;
}

async function checkPlanning(tool: Tool, params: object, { calls, folder }: Trial): Promise<Finding[]> {
  const before = readFolder(folder);
  const copy = { ...params } as JsonObject;
  const findings: Finding[] = [];
  const outcome = await calls.attempt(async () => {
    const details = await tool.shouldConfirmExecute(copy, new AbortController().signal);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(details)), details)) {
      findings.push(finding('confirmation', 'the confirmation details are not plain data.'));
    }
    const problem = detailsProblem(details);
    if (problem !== null) findings.push(finding('confirmation', `${problem}.`));
    else if (details !== false)
      findings.push(...leftOutFindings((await tool.effects?.(copy)) ?? [], details));
    await tool.discard?.(copy);
  });
  if (outcome === 'hung') findings.push(finding('confirmation', 'shouldConfirmExecute does not settle.'));
  else if ('error' in outcome && !isToolError(outcome.error))
    findings.push(
      finding('confirmation', `shouldConfirmExecute or discard threw: ${messageOf(outcome.error)}`),
    );
  if (changedPaths(before, readFolder(folder)).length > 0)
    findings.push(
      finding('leftovers', 'asking and then not executing changed files; discard must leave nothing behind.'),
    );
  return findings;
}

function leftOutFindings(declared: readonly Effect[], details: ConfirmationDetails): Finding[] {
  const [first] = leftOutEffects(declared, details);
  if (!first) return [];
  const target = 'path' in first ? ` of ${show(first.path)}` : '';
  const message = `its confirmation details leave out an effect that it declares (${first.kind}${target}), so the user does not see it in the question: list in details.effects all that effects gives.`;
  return [finding('confirmation', message, 'warning')];
}

/** Cancels a call that takes a while in the middle. */
async function checkCancelled(
  tool: Tool,
  { params, ms }: { params: object; ms: number },
  calls: LimitedCalls,
): Promise<Finding[]> {
  const cancelled = new AbortController();
  const work = (async () => tool.execute({ ...params } as JsonObject, cancelled.signal))();
  await calls.attempt(() => work, Math.min(ms / 2, LATEST_CANCEL_MS));
  cancelled.abort({ kind: 'user' });
  const { cancelMs } = calls.limits;
  if ((await calls.attempt(() => work, cancelMs)) !== 'hung') return [];
  // The cancelled call is awaited: its remaining work must not be taken for that of the next call.
  await calls.attempt(() => work);
  return [
    finding(
      'aborted-work',
      `execute went on for more than ${cancelMs / 1000} s after it was cancelled; stop when the signal is aborted.`,
    ),
  ];
}

async function checkRefusals(
  tool: Tool,
  { valid, invalid = [] }: ToolSamples,
  { calls, folder }: Trial,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const mutants = valid
    .slice(0, 1)
    .flatMap((params) => mutantsOf(tool.parameterSchema, params).map((mutant) => mutant.params));
  const refused = [...mutants, ...invalid].filter(
    (params) => validate(tool.parameterSchema, params) !== null || invalid.includes(params),
  );
  const before = readFolder(folder);
  for (const params of refused) {
    if (calls.isOver()) break;
    const outcome = await calls.attempt(() =>
      tool.execute(params as JsonObject, new AbortController().signal),
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
    else findings.push(...resultFindings(outcome.result, tool.name));
  }
  if (changedPaths(before, readFolder(folder)).length > 0)
    findings.push(finding('leftovers', 'refused calls changed files.'));
  return findings;
}

/** Params made wrong in one place each, with a name for the mistake. */
function mutantsOf(schema: JsonSchema, valid: object): { mistake: string; params: unknown }[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const mutants: { mistake: string; params: unknown }[] = [
    { mistake: 'null instead of an object', params: null },
    { mistake: 'text instead of an object', params: 'text' },
    { mistake: 'an array instead of an object', params: [] },
  ];
  for (const name of required) {
    const params: Record<string, unknown> = { ...valid };
    delete params[name];
    mutants.push({ mistake: `without ${name}`, params });
  }
  for (const [name, property] of Object.entries(properties)) {
    const wrong = isJsonObject(property) ? wrongValueFor(property['type']) : undefined;
    if (wrong !== undefined)
      mutants.push({ mistake: `${name} of the wrong type`, params: { ...valid, [name]: wrong } });
  }
  return mutants;
}

/** A value that no lossless coercion turns into the type. */
function wrongValueFor(type: unknown): unknown {
  switch (type) {
    case 'string':
      return { not: 'text' };
    case 'integer':
    case 'number':
      return 'not a number';
    case 'boolean':
      return 'perhaps';
    case 'array':
      return { not: 'an array' };
    case 'object':
      return 7;
    default:
      return undefined;
  }
}
