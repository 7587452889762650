import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Tool } from '../../tools/tools.js';
import { checkTool } from '../check-tool.js';
import { type Finding, finding } from '../finding.js';
import { sampleParams } from './sample-params.js';
import { runToolTest, type ToolTest } from './tool-test.js';

/** A: keeps every promise. B: something to improve. C: not for every model as it is. F: something to mend. */
export type Grade = 'A' | 'B' | 'C' | 'F';

export interface ToolReport {
  name: string;
  grade: Grade;
  /** The checks, in the order they were tried. */
  aspects: { aspect: string; state: 'ok' | 'improve' | 'mend' | 'not tried' }[];
  findings: Finding[];
}

export interface GradeOptions {
  /** Calls to try; without it nothing is executed. */
  test?: ToolTest | undefined;
  /** A folder in which nothing may change but by executing. */
  directory?: string;
  signal: AbortSignal;
  /** Advice on adding a test, where there is none. */
  howToTest: string;
}

const aspects: readonly { aspect: string; checks: readonly string[]; needsTest?: true }[] = [
  { aspect: 'members, name and description', checks: ['members', 'name', 'description'] },
  {
    aspect: 'parameter schema',
    checks: ['schema', 'schema-subset', 'schema-size', 'schema-description'],
  },
  { aspect: 'arguments are checked', checks: ['validation', 'samples'] },
  { aspect: 'effects and question', checks: ['effects', 'confirmation'] },
  { aspect: 'cancelled calls do nothing', checks: ['aborted-work'], needsTest: true },
  { aspect: 'nothing is left behind', checks: ['leftovers'], needsTest: true },
  {
    aspect: 'results and errors',
    checks: ['execution', 'result', 'error-shape', 'bounded'],
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
      const own = findings.filter(({ check }) => checks.includes(check));
      if (own.some(({ level }) => level === 'error')) return { aspect, state: 'mend' };
      if (own.length > 0) return { aspect, state: 'improve' };
      return { aspect, state: needsTest && (isBroken || !options.test) ? 'not tried' : 'ok' };
    }),
  };
}

async function findingsOf(
  tool: Tool,
  { test, directory, signal, howToTest }: GradeOptions,
): Promise<Finding[]> {
  if (!test) {
    const look = { valid: [sampleParams(tool.parameterSchema)], onlyLooks: true as const };
    const note = finding('test', `There is no test, so nothing was run. ${howToTest}`, 'warning');
    return [...(await checkTool(tool, look)), note];
  }
  const valid = test.calls.filter(({ error }) => error !== 'invalid_params').map(({ args }) => args);
  const invalid = test.calls.filter(({ error }) => error === 'invalid_params').map(({ args }) => args);
  // The test comes first: it is about the folder as it was written, before the suite executes anything.
  const tested = await runToolTest(tool, test, signal).catch((error: unknown) => [
    finding('execution', `execute threw (${messageOf(error)}); expected failures are results with an error.`),
  ]);
  return [...tested, ...(await checkTool(tool, { valid, invalid, directory }))];
}

function gradeOf(findings: readonly Finding[]): Grade {
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.some(({ check }) => check !== 'schema-subset' && check !== 'schema-size')) return 'F';
  if (errors.length > 0) return 'C';
  return findings.length > 0 ? 'B' : 'A';
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [`${one.check} ${one.message}`, one])).values()];
}
