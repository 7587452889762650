import { chmodSync, utimesSync } from 'node:fs';
import { openCachedJson } from '@toolwright/machine/host/state/cached-json.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkTool } from '../../testing/check-tool.js';
import { scriptedTool } from '../../testing/scripted-tool.js';
import { createOwnToolsBench, type OwnToolsBench } from '../own/fixtures/own-tools.js';
import { type OwnToolsOptions, ownSources } from '../own/own-sources.js';
import { ToolRegistry } from '../tool-registry.js';
import { commandSource } from './discover-tools.js';

let bench: OwnToolsBench;
const { signal } = new AbortController();
const environment = { PATH: process.env['PATH'] ?? '' };

beforeEach(() => {
  bench = createOwnToolsBench();
});
afterEach(() => bench.cleanup());

function script(name: string, text: string): string {
  const path = bench.write(name, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const declarations = JSON.stringify([
  {
    name: 'greet',
    description: 'Greets somebody by name.',
    parameters: {
      type: 'object',
      properties: { who: { type: 'string', description: 'Name.' } },
      required: ['who'],
    },
  },
]);
const printing = (text: string) => `echo run >> runs.txt\ncat <<'END'\n${text}\nEND`;
const runs = () => (bench.exists('runs.txt') ? bench.read('runs.txt').split('\n').length - 1 : 0);
const commands = { discoveryCommand: './list.sh --all', callCommand: ['./call.sh', 'fixed'] };

async function discover(options: Omit<OwnToolsOptions, 'core'> = commands) {
  const registry = new ToolRegistry();
  const parts = { ...bench.parts, environment, trusted: true };
  for (const source of await ownSources(options, parts)) registry.addSource(source);
  const report = await registry.discoverOwnTools(signal);
  return { registry, report };
}

describe('discovery by a command', () => {
  it('declares tools that the call command runs: name last, JSON on standard input, complaints on standard error', async () => {
    script('list.sh', printing(declarations));
    script('call.sh', 'echo "$1 $2 got $(cat)"; echo "careful" >&2');
    const { registry, report } = await discover();
    expect(report).toEqual({ added: ['greet'], problems: [] });
    const { tool, origin } = registry.require('greet');
    expect(origin).toEqual({ kind: 'command', command: './list.sh --all' });
    expect(await tool.effects?.({ who: 'Ada' })).toBeUndefined();
    expect(await tool.execute({ who: 'Ada' }, signal)).toEqual({
      llmContent: 'fixed greet got {"who":"Ada"}',
      returnDisplay: 'fixed greet got {"who":"Ada"}\n\nOn standard error:\ncareful',
    });
    expect(tool.validateToolParams({})).toBe('who: required, but missing.');
    expect((await tool.execute({ who: ['a', 'b'] }, signal)).error?.code).toBe('invalid_params');
    const samples = { valid: [{ who: 'Ada' }], directory: bench.directory };
    expect(await checkTool(tool, samples)).toEqual([]);
  });

  it('fails a call by its exit status, with all that was printed', async () => {
    script('list.sh', printing(declarations));
    script('call.sh', 'echo partly; echo "no such person" >&2; exit 7');
    const { registry } = await discover();
    expect((await registry.getTool('greet')?.execute({ who: 'x' }, signal))?.error).toEqual({
      code: 'failed',
      message:
        'greet failed: it ended with status 7.\nOn standard error: no such person\nOn standard output: partly',
    });
  });

  it('ends a call that is cancelled, with all its children', async () => {
    script('list.sh', printing(declarations));
    script('call.sh', 'sleep 61.25 & echo started >&2; wait');
    const { registry } = await discover();
    const controller = new AbortController();
    const result = await registry
      .getTool('greet')
      ?.execute({ who: 'x' }, controller.signal, () => controller.abort({ kind: 'user' }));
    expect(result?.error?.code).toBe('cancelled');
    const left = await bench.parts.run(
      {
        words: ['sh', '-c', 'pgrep -f "[s]leep 61.25" || true'],
        directory: '/',
        access: { write: false, network: false },
      },
      { signal },
    );
    expect(left.stdout.head).toBe('');
  });

  it('runs once a session, again when asked or when the command changed, and is kept from session to session', async () => {
    const path = script('list.sh', printing(declarations));
    const first = await discover();
    expect(runs()).toBe(1);
    expect((await discover()).report.added).toEqual(['greet']);
    expect(runs()).toBe(1);
    await first.registry.discoverOwnTools(signal);
    expect(runs()).toBe(2);
    utimesSync(path, 1, 1);
    await discover();
    expect(runs()).toBe(3);
    bench.host.clock.now = () => Date.now() + 25 * 60 * 60 * 1000;
    await discover();
    expect(runs()).toBe(4);
  });

  it('keeps no failure', async () => {
    script('list.sh', `${printing('oops')}`);
    await discover();
    await discover();
    expect(runs()).toBe(2);
  });

  it('needs both commands, and a mistake in them costs nothing else', async () => {
    expect((await discover({ discoveryCommand: 'x' })).report.problems).toEqual([
      'Command discovery: tools.toolDiscoveryCommand is set, but tools.toolCallCommand is not: the tools it declares could not be called. Set both.',
    ]);
  });
});

describe('a discovery that fails', () => {
  const failures: [string, string, (string | RegExp)[]][] = [
    [
      'bad JSON',
      'echo "Tools: greet"; echo "deprecated" >&2',
      [
        "it printed something that is not JSON (Unexpected token 'T'): Tools: greet",
        'On standard error: deprecated',
      ],
    ],
    ['nothing printed', 'true', ['it printed nothing; expected a JSON array of function declarations.']],
    [
      'another shape',
      `echo '{"tools": []}'`,
      [
        'it printed an object without functionDeclarations; expected a JSON array of function declarations: {"tools":[]}',
      ],
    ],
    [
      'a non-zero exit',
      'echo "[]"; echo "python: command not found" >&2; exit 127',
      ['it ended with status 127.', 'On standard error: python: command not found\nOn standard output: []'],
    ],
    ['a signal', 'kill -9 $$', [/it was ended by SIGKILL\.\nIt printed nothing\./]],
    [
      'too much output',
      'yes tools',
      ['it was stopped because it printed more than 2 MB.', 'On standard output: tools\ntools\n'],
    ],
    [
      'a bad declaration',
      `echo '[{"name": "a b"}, {"name": "fine"}]'`,
      ['tool 1 needs a "name" of 1 to 64 characters of A-Z, a-z, 0-9, _ and -: {"name":"a b"}'],
    ],
  ];

  it.each(failures)('by %s is named with what was printed', async (name, text, expected) => {
    script('list.sh', text);
    const { report } = await discover();
    expect(report.problems).toHaveLength(1);
    const [problem = ''] = report.problems;
    expect(problem.startsWith('The discovery command ./list.sh --all: ')).toBe(true);
    for (const part of expected)
      expect(problem).toMatch(typeof part === 'string' ? new RegExp(escaped(part)) : part);
    console.log(`evidence: discovery fails by ${name}: ${problem.slice(0, 400).replace(/\n/g, ' / ')}`);
  });

  it('by a time-out is named with what was printed', async () => {
    script('list.sh', 'echo "connecting to the database" >&2; sleep 60');
    const registry = new ToolRegistry();
    const source = commandSource({
      discoveryCommand: ['./list.sh'],
      callCommand: ['./call.sh'],
      directory: bench.directory,
      run: bench.parts.run,
      cache: openCachedJson(bench.state, 'discovery', 'key'),
      now: () => 0,
      stamp: () => '',
      timeoutMs: 700,
    });
    registry.addSource(source);
    const [problem = ''] = (await registry.discoverOwnTools(signal)).problems;
    expect(problem).toBe(
      'The discovery command ./list.sh: it was stopped because it did not end within 0.7 s.\nOn standard error: connecting to the database',
    );
    console.log(`evidence: discovery fails by a time-out: ${problem.replace(/\n/g, ' / ')}`);
  });

  it('by a missing program is named', async () => {
    const { report } = await discover({ ...commands, discoveryCommand: './nowhere.sh' });
    const [problem = ''] = report.problems;
    expect(problem).toMatch(/^The discovery command \.\/nowhere\.sh: it could not be started: .*nowhere\.sh/);
    console.log(`evidence: discovery fails by a missing program: ${problem}`);
  });

  it('by a name that is taken is named, and costs only that tool', async () => {
    script('list.sh', `echo '[{"name": "greet"}, {"name": "fine"}]'`);
    const registry = new ToolRegistry();
    registry.registerTool(scriptedTool('greet'), { kind: 'builtin' });
    const parts = { ...bench.parts, environment, trusted: true };
    for (const source of await ownSources(commands, parts)) registry.addSource(source);
    const report = await registry.discoverOwnTools(signal);
    expect(report).toEqual({
      added: ['fine'],
      problems: [
        "The discovery command ./list.sh --all: The tool name greet is taken: a built-in tool has it, so the discovery command ./list.sh --all can't use it. Rename one of them.",
      ],
    });
    console.log(`evidence: discovery fails by a name that is taken: ${report.problems[0]}`);
  });
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
