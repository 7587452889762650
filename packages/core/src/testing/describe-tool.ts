import type { Tool } from '../tools/tools.js';
import { checkTool, type ToolSamples } from './check-tool.js';

/** The part of a test runner that is needed: vitest, jest, mocha and node:test all fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Runs `checkTool` as a test of whatever runner is given. */
export function describeTool(
  { describe, it }: TestRunner,
  name: string,
  make: () => { tool: Tool; samples: ToolSamples } | Promise<{ tool: Tool; samples: ToolSamples }>,
): void {
  describe(name, () => {
    it('keeps what users of a tool rely on', async () => {
      const { tool, samples } = await make();
      const findings = await checkTool(tool, samples);
      if (findings.length > 0)
        throw new Error(
          findings.map(({ check, level, message }) => `${level} ${check}: ${message}`).join('\n'),
        );
    });
  });
}
