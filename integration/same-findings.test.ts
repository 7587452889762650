import { expect, it } from 'vitest';
import { mcpStages, server } from './mcp/stage.js';

const stage = mcpStages('the same findings');

interface Checked {
  name: string;
  grade: string;
  findings: { check: string; level: 'error' | 'warning' | 'note'; message: string }[];
}
interface Examined {
  stage: string;
  level: 'ok' | 'note' | 'warning' | 'problem';
  what: string;
}

const levels = { error: 'problem', warning: 'warning', note: 'note' } as const;

/** The core of a message about a tool, without the providers, the parameter and the advice, which each report puts elsewhere. */
function coreOf(message: string): string {
  const [first = ''] = message
    .replace(/^((openai|anthropic|gemini)( and )?)+: /, '')
    .replace(/^parameters\.\S+: /, '')
    .split(/\.(?: |$)/);
  return first;
}

it('tools check and mcp doctor say the same about the same tools', async () => {
  const one = await stage({});
  const { machine, run } = one;
  const lying = server.misbehaving('lying', machine.workspace);
  one.configure({ lying: { ...lying, sandbox: 'off' } });
  await run(['trust']);
  const checked = await run(['tools', 'check', 'lying', '--args', '{}', '--json']);
  const examined = await run(['mcp', 'doctor', 'lying', '--json']);
  const { tools } = JSON.parse(checked.stdout) as { tools: Checked[] };
  const { findings } = JSON.parse(examined.stdout) as { findings: Examined[] };

  // Only `tools check` knows arguments for all tools, so what calls show is compared for the tool that both call.
  const definition = /^(name|description|annotations|schema.*)$/;
  const said = tools.flatMap(({ name, findings: own }) =>
    own
      .filter(({ check }) => definition.test(check) || (check === 'effects' && name === 'lying__look'))
      .map(({ level, message }) => `${levels[level]}: ${coreOf(message)}`),
  );
  const byDoctor = findings.filter(
    ({ stage: at, level }) => level !== 'ok' && /^(names|schemas|cost|calls)$/.test(at),
  );
  const isSaidIn = (line: string, { level, what }: Examined): boolean =>
    line.startsWith(`${level}: `) && what.includes(line.slice(level.length + 2));
  const lines = [...new Set(said)].sort();
  console.log(
    `evidence: tools check and mcp doctor about the same four tools:\n${lines.map((line) => `  both say ${line}`).join('\n')}`,
  );
  expect(lines.filter((line) => !byDoctor.some((finding) => isSaidIn(line, finding)))).toEqual([]);
  const more = byDoctor.filter((finding) => !lines.some((line) => isSaidIn(line, finding)));
  expect(more.map(({ what }) => what)).toEqual([
    'not called: files.read, plan, talk (not annotated as read-only)',
  ]);
  expect(lines).toHaveLength(8);
  expect(tools.filter(({ grade }) => grade === 'F').map(({ name }) => name)).toContain('lying__look');
  expect([checked.code, examined.code]).toEqual([1, 1]);
});
