import { resultProblem } from '../../scheduler/run-tool.js';
import type { JudgedDefinition } from '../../tools/definition/judge-definition.js';
import type { Tool } from '../../tools/tools.js';
import { examineTool, strayFindings, type ToolSamples } from '../check-tool.js';
import { comparedFolder } from '../checks/folder.js';
import { limitedCalls } from '../checks/limited-calls.js';
import { watchStrayErrors } from '../checks/stray-errors.js';
import { tryCall } from '../checks/try-call.js';
import { type Finding, finding, isFault } from '../finding.js';
import { sampleParams } from './sample-params.js';
import { runToolTest, type ToolTest } from './tool-test.js';

/** A: keeps every promise. B: something to improve. C: not for every model as it is. F: something to mend. */
export type Grade = 'A' | 'B' | 'C' | 'F';

/** The grade of a tool, and what it is made of. */
export interface ToolReport {
  name: string;
  grade: Grade;
  /** The checks, in the order they were tried. */
  aspects: { aspect: string; state: 'ok' | 'improve' | 'mend' | 'not tried' }[];
  findings: Finding[];
}

/** The options of grading a tool. */
export interface GradeOptions extends Pick<ToolSamples, 'claimsReadOnly' | 'limits'> {
  /** Calls to try; without it nothing is executed. */
  test?: ToolTest | undefined;
  /** A folder in which nothing may change but by executing, and then only what the effects name. */
  directory?: ToolSamples['directory'];
  signal: AbortSignal;
  /** Advice on adding a test, where there is none. */
  howToTest: string;
  /** Messages of errors thrown outside a call in another thread, where this one can't hear them. */
  strayErrors?(): Promise<readonly string[]>;
  /** The definition as its author wrote it, where the tool carries it in other words. */
  definition?: JudgedDefinition;
}

const aspects: readonly { aspect: string; checks: readonly string[]; needsTest?: true }[] = [
  { aspect: 'members, name and description', checks: ['members', 'name', 'description', 'annotations'] },
  {
    aspect: 'parameter schema',
    checks: ['schema', 'schema-subset', 'schema-size', 'schema-description'],
  },
  { aspect: 'arguments are checked', checks: ['validation', 'samples'] },
  { aspect: 'effects and question', checks: ['effects', 'confirmation'], needsTest: true },
  { aspect: 'cancelled calls do nothing', checks: ['aborted-work'], needsTest: true },
  { aspect: 'nothing is left behind', checks: ['leftovers'], needsTest: true },
  {
    aspect: 'results and errors',
    checks: ['execution', 'result', 'error-shape', 'bounded', 'stray-error'],
    needsTest: true,
  },
  { aspect: 'the test', checks: ['test'], needsTest: true },
];

/** Runs the conformance suite and the test, whatever carries the tool, and judges it. */
export async function gradeTool(tool: Tool, options: GradeOptions): Promise<ToolReport> {
  const findings = distinct(await findingsOf(tool, options));
  const isBroken = findings.some(({ check }) => check === 'members' || check === 'schema');
  return {
    name: tool.name,
    grade: gradeOf(findings),
    findings,
    aspects: aspects.map(({ aspect, checks, needsTest }) => {
      const own = findings.filter((one) => isFault(one) && checks.includes(one.check));
      if (own.some(({ level }) => level === 'error')) return { aspect, state: 'mend' };
      if (own.length > 0) return { aspect, state: 'improve' };
      return { aspect, state: needsTest && (isBroken || !options.test) ? 'not tried' : 'ok' };
    }),
  };
}

async function findingsOf(tool: Tool, options: GradeOptions): Promise<Finding[]> {
  const { test, directory, howToTest, definition, claimsReadOnly, signal } = options;
  const limits = { ...options.limits, signal };
  if (!test) return [...(await tryWithoutTest(tool, definition)), noTest(howToTest)];
  const valid = test.calls.filter(({ error }) => error !== 'invalid_params').map(({ args }) => args);
  const invalid = test.calls.filter(({ error }) => error === 'invalid_params').map(({ args }) => args);
  // The test comes first: it is about the folder as it was written, before the suite executes anything.
  const { found, isOver } = await testFindings(tool, { ...options, test });
  const samples = { valid, invalid, directory, definition, claimsReadOnly, limits };
  if (isOver) return [...found, ...(await examineTool(tool, { valid, definition, onlyLooks: true }))];
  const checked = await examineTool(tool, samples);
  return [...found, ...checked, ...strayFindings((await options.strayErrors?.()) ?? [])];
}

function noTest(howToTest: string): Finding {
  return finding('test', `There is no test, so nothing was run. ${howToTest}`, 'warning');
}

/** Tries a tool that has no test with made-up params, as far as some can be made. */
async function tryWithoutTest(tool: Tool, definition: JudgedDefinition | undefined): Promise<Finding[]> {
  const sample = sampleParams(tool.parameterSchema);
  const valid = sample === null ? [] : [sample];
  const findings = await examineTool(tool, { valid, onlyLooks: true, definition });
  if (sample !== null) return findings;
  const message = 'no arguments could be made up that fit its schema, so its words were not tried.';
  return [...findings, finding('samples', message, 'note')];
}

/** Findings of the test; it is over when a call hung, and then no other should be made. */
async function testFindings(
  tool: Tool,
  { test, directory, claimsReadOnly, limits, signal }: GradeOptions & { test: ToolTest },
): Promise<{ found: Finding[]; isOver: boolean }> {
  const calls = limitedCalls({ ...limits, signal });
  const trial = { calls, folder: comparedFolder(directory), claimsReadOnly };
  const found: Finding[] = [];
  const stray = watchStrayErrors();
  try {
    const wrong = await runToolTest(tool, test, signal, async (args) => {
      if (calls.isOver()) return null;
      const { attempt, findings } = await tryCall(tool, args, trial);
      found.push(...findings);
      const result = attempt !== 'hung' && 'result' in attempt ? attempt.result : null;
      return resultProblem(result) === null ? result : null;
    });
    found.unshift(...wrong);
  } finally {
    stray.stop();
  }
  return { found: [...found, ...strayFindings(stray.errors)], isOver: calls.isOver() };
}

function gradeOf(findings: readonly Finding[]): Grade {
  const faults = findings.filter(isFault);
  const errors = faults.filter(({ level }) => level === 'error');
  if (errors.some(({ check }) => check !== 'schema-subset')) return 'F';
  if (errors.length > 0) return 'C';
  return faults.length > 0 ? 'B' : 'A';
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [`${one.check} ${one.message}`, one])).values()];
}
