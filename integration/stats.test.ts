import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
afterEach(() => machine.cleanup());

const DAY_MS = 86_400_000;
const day = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

interface Work {
  ago: number;
  model: string;
  tokens: [number, number];
  tool: string;
  seconds: number;
  waitedMs?: number;
  outcome?: string;
  change?: { undoes?: string };
  fails?: boolean;
}

/** A journal with one prompt and one call for each piece of work. */
function writeJournal(name: string, workspace: string, works: readonly Work[]): void {
  const folder = join(machine.state, 'sessions', 'made');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = works.flatMap((work, index) => {
    const { ago, model, tokens, tool, seconds, waitedMs, outcome, change, fails } = work;
    const at = (second: number): string =>
      new Date(Date.parse(`${day(ago)}T12:00:00Z`) + second * 1_000).toISOString();
    const callId = `${name}${index}`;
    const [inputTokens, outputTokens] = tokens;
    const error = fails ? { code: 'failed', message: 'no' } : undefined;
    return [
      {
        at: at(0),
        type: 'session-start',
        sessionId: name,
        workspace,
        front: 'headless',
        model,
        provider: 'openai',
      },
      { at: at(0), type: 'message', message: { role: 'user', parts: [{ text: 'do it' }] } },
      {
        at: at(10),
        type: 'message',
        message: { role: 'model', parts: [] },
        usage: { inputTokens, outputTokens },
      },
      { at: at(10), type: 'call-start', callId, tool, args: {}, effects: [] },
      {
        at: at(10),
        type: 'call-decision',
        callId,
        decision: waitedMs ? 'ask' : 'allow',
        reason: '',
        outcome,
        waitedMs,
      },
      ...(change
        ? [
            {
              at: at(10),
              type: 'changes',
              changeSet: { v: 1, id: callId, changes: [], directories: [], removedDirectories: [] },
              ...change,
            },
          ]
        : []),
      { at: at(10 + seconds), type: 'call-end', callId, tool, response: {}, display: '', error },
    ];
  });
  writeFileSync(
    join(folder, `${name}.jsonl`),
    lines.map((line) => `${JSON.stringify({ v: 1, ...line })}\n`).join(''),
  );
}

const works: Work[] = [
  {
    ago: 1,
    model: 'gpt-5',
    tokens: [1_000_000, 100_000],
    tool: 'edit',
    seconds: 2,
    waitedMs: 1_000,
    outcome: 'once',
    change: {},
  },
  { ago: 1, model: 'gpt-5', tokens: [500_000, 0], tool: 'edit', seconds: 1, change: { undoes: 'a0' } },
  {
    ago: 0,
    model: 'local',
    tokens: [300_000, 20_000],
    tool: 'run_shell_command',
    seconds: 90,
    waitedMs: 30_000,
    outcome: 'cancel',
    fails: true,
  },
];

it('toolwright stats shows by day, model and tool what sessions cost and did, with a plot, and the same as JSON', async () => {
  machine = createMachine();
  writeJournal('a', machine.workspace, works);
  writeJournal('b', '/elsewhere', [{ ago: 40, model: 'gpt-5', tokens: [9, 9], tool: 'glob', seconds: 1 }]);
  const { stdout, code, stderr } = await machine.run(['stats']);
  expect(code, stderr).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `${day(29)} to ${day(0)}: 1 session, 3 prompts, 3 calls, 1,920,000 tokens, $2.88; the price of 1 answer is not known`,
    'Questions: 2, 1 answered with yes, open for 31.0 s. Changes: 1 made, 1 undone.',
    '',
    'day            tokens   cost  model time  calls  failed  questions  changes  undone',
    `${day(1)}  1,600,000  $2.88      20.0 s      2       0          1        1       1  ████████████████████████`,
    `${day(0)}    320,000      –      10.0 s      1       1          1        0       0  ████▊`,
    '',
    'model     tokens   cost  model time  calls  failed  questions  changes  undone',
    'gpt-5  1,600,000  $2.88      20.0 s      2       0          1        1       1  ████████████████████████',
    'local    320,000      –      10.0 s      1       1          1        0       0  ████▊',
    '',
    'tool               calls  failed  refused  questions  median  in all',
    'edit                   2       0        0          1   1.0 s   2.0 s  ████████████████████████',
    'run_shell_command      1       1        1          1   1 min   1 min  ████████████',
    '',
  ]);
  const json = JSON.parse((await machine.run(['stats', '--json', '--days', '60'])).stdout) as {
    total: { sessions: number };
    models: Record<string, { inputTokens: number }>;
  };
  expect([json.total.sessions, json.models['gpt-5']?.inputTokens]).toEqual([2, 1_500_009]);
  const here = await machine.run(['stats', '--here', '--days', '60', '--json']);
  expect((JSON.parse(here.stdout) as { total: { sessions: number } }).total.sessions).toBe(1);
  const wrong = await machine.run(['stats', '--days', '0']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'toolwright: --days 0: must be a whole number from 1 to 3650.\n',
  ]);
});
