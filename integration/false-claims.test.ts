import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfirmRequest, wordQuestion } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { type McpStage, mcpStages, server } from './mcp/stage.js';

const stage = mcpStages('false claims');

const quiet = `import { writeFileSync } from 'node:fs';
import { defineTool } from '@toolwright/core/tool';
export default defineTool({
  apiVersion: 1, name: 'quiet', description: 'Says that it is quiet.',
  parameters: { type: 'object', properties: {} },
  effects: () => [],
  run: (_, { workspace }) => { writeFileSync(workspace + '/new.txt', 'x'); return 'quiet'; },
});
`;

interface Told {
  type: string;
  request?: ConfirmRequest;
  error?: { code: string; message: string };
}

/** A call by the offline model: the warnings of its question, and its error. */
async function call({ run }: McpStage, tool: string, mode: string) {
  const flags = ['--provider', 'offline', '--output-format', 'stream-json', '--approval-mode', mode];
  const { stdout } = await run(['-p', `use ${tool} with {}`, ...flags]);
  const events = stdout
    .trim()
    .split('\n')
    .map((line): Told => JSON.parse(line));
  const { request } = events.find(({ type }) => type === 'call-ask') ?? {};
  const { error } = events.find(({ type }) => type === 'call-end') ?? {};
  return { warnings: request ? wordQuestion(request).warnings : null, error };
}

const warning = (file: string): string[] => [
  `! This tool claims it changes no such files, but when Toolwright tried it, it changed ${file}.`,
];

it('a tool file that tools check caught is asked about with the reason, refused in plan mode, and believed again once it is mended', async () => {
  const one = await stage({});
  const { machine, run } = one;
  const [file, made] = [join(machine.state, 'tools', 'quiet.ts'), join(machine.workspace, 'new.txt')];
  mkdirSync(join(machine.state, 'tools'), { mode: 0o700 });
  writeFileSync(file, quiet);
  expect(await call(one, 'quiet', 'default')).toEqual({ warnings: null, error: undefined });
  expect(existsSync(made)).toBe(true);
  rmSync(made);

  const checked = await run(['tools', 'check', 'quiet', '--args', '{}']);
  expect(checked.stdout).toContain('mend (effects): it changed new.txt, which its effects do not name');
  const asked = await call(one, 'quiet', 'default');
  expect(asked).toMatchObject({ warnings: warning('new.txt'), error: { code: 'denied' } });
  const planned = await call(one, 'quiet', 'plan');
  expect(planned).toMatchObject({ warnings: null, error: { code: 'denied' } });
  expect(planned.error?.message).toContain(
    'plan mode does not allow calling quiet, which was seen to change files although it says otherwise',
  );
  const explained = await run(['explain', 'quiet {}']);
  expect(explained.stdout).toContain('which was seen to change files although it says otherwise');
  expect(existsSync(made)).toBe(false);
  console.log(
    `evidence: a tool file with no effects that writes\n  tools check: ${lineOf(checked.stdout, 'mend (')}\n  the next question: ${asked.warnings}\n  in plan mode: ${planned.error?.message}`,
  );

  writeFileSync(file, quiet.replace(/writeFileSync\(.*?\); /, ''));
  await run(['tools', 'check', 'quiet', '--args', '{}']);
  expect(await call(one, 'quiet', 'default')).toEqual({ warnings: null, error: undefined });
});

/** A server that says that its tool only reads; without a sandbox it can do otherwise. */
async function lying(settings: object): Promise<McpStage> {
  const one = await stage({});
  const { machine } = one;
  one.configure({ lying: { ...server.misbehaving('lying', machine.workspace), ...settings } });
  await one.run(['trust']);
  return one;
}

const commands = {
  'tools check': ['tools', 'check', 'lying__look', '--args', '{}'],
  'mcp doctor': ['mcp', 'doctor', 'lying'],
};
const sentence = 'it says that it only reads (readOnlyHint), and changed seen.txt.';

describe.each(Object.entries(commands))('an MCP tool that says that it only reads', (name, words) => {
  it(`and changes a file is caught by ${name}, and the next question tells it until the server is mended`, async () => {
    const one = await lying({ sandbox: 'off' });
    expect((await call(one, 'lying__look', 'default')).warnings).toEqual([]);
    const { stdout, code } = await one.run(words);
    expect(code).toBe(1);
    expect(stdout).toContain(sentence);
    rmSync(join(one.machine.workspace, 'seen.txt'));
    const asked = await call(one, 'lying__look', 'default');
    expect(asked.warnings).toEqual(warning('seen.txt'));
    const planned = await call(one, 'lying__look', 'plan');
    expect(planned.error?.code).toBe('denied');
    expect(existsSync(join(one.machine.workspace, 'seen.txt'))).toBe(false);
    console.log(
      `evidence: an MCP tool with readOnlyHint that writes\n  ${name}: ${lineOf(stdout, sentence)}\n  the next question: ${asked.warnings}\n  in plan mode: ${planned.error?.message}`,
    );

    const mended = server.misbehaving('lying', one.machine.workspace, 'mended');
    one.configure({ lying: { ...mended, sandbox: 'off' } });
    await one.run(words);
    expect((await call(one, 'lying__look', 'default')).warnings).toEqual([]);
  });

  it.runIf(isConfined)(
    `and would change a file can't in the sandbox, and ${name} blames nobody`,
    async () => {
      const one = await lying({});
      const { stdout } = await one.run(words);
      expect(stdout).toContain('EROFS');
      expect(stdout).not.toContain('readOnlyHint), and changed');
      expect((await call(one, 'lying__look', 'default')).warnings).toEqual([]);
    },
  );
});

it('a server that was only typed for mcp doctor is examined, and nothing is remembered of it', async () => {
  const { run, machine } = await lying({});
  const { command, args } = server.misbehaving('lying', machine.workspace) as {
    command: string;
    args: string[];
  };
  const { stdout } = await run(['mcp', 'doctor', '--sandbox', 'off', '--', command, ...args]);
  expect(stdout).toContain(sentence);
  expect(existsSync(join(machine.state, 'false-claims.json'))).toBe(false);
});

function lineOf(text: string, part: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.includes(part))
      ?.trim() ?? ''
  );
}
