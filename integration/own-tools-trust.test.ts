import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

const examples = fileURLToPath(new URL('../examples/discovery', import.meta.url));
const machines: Machine[] = [];

function open(files: Record<string, string> = {}): Machine {
  const machine = createMachine(files);
  machines.push(machine);
  return machine;
}

afterEach(() => {
  for (const machine of machines.splice(0)) machine.cleanup();
});

function writeOwn(machine: Machine, name: string, text: string): void {
  mkdirSync(dirname(join(machine.state, name)), { recursive: true, mode: 0o700 });
  writeFileSync(join(machine.state, name), text);
}

const settings = (machine: Machine, value: object): void =>
  writeOwn(machine, 'settings.json', JSON.stringify(value));
const listed = async (machine: Machine, ...more: string[]): Promise<string[]> => {
  const { stdout } = await machine.run(['tools', 'list', '--json', ...more]);
  const rows = JSON.parse(stdout) as { name: string; origin: { kind: string } }[];
  return rows.filter(({ origin }) => origin.kind !== 'builtin').map(({ name }) => name);
};

describe('the examples of discovery', () => {
  const sets = [
    {
      language: 'shell',
      commands: {
        toolDiscoveryCommand: [`${examples}/shell/list.sh`],
        toolCallCommand: [`${examples}/shell/call.sh`],
      },
      names: ['line_count', 'free_space'],
      call: ['line_count', '{"path": "notes.txt"}', '2 lines in notes.txt\n'],
      checked: 'line_count',
    },
    {
      language: 'node',
      commands: {
        toolDiscoveryCommand: ['node', `${examples}/node/tools.mjs`, 'list'],
        toolCallCommand: ['node', `${examples}/node/tools.mjs`, 'call'],
      },
      names: ['word_frequency', 'traffic_light'],
      call: ['traffic_light', '{"color": "red"}', 'A **red** traffic light\n'],
      checked: 'word_frequency',
    },
  ] as const;

  it.each(sets)(
    'work in $language, and keep every promise',
    async ({ language, commands, names, call, checked }) => {
      const machine = open({ 'notes.txt': 'alpha beta\nalpha\n' });
      settings(machine, { tools: commands });
      cpSync(join(examples, language), join(machine.state, 'tools'), {
        recursive: true,
        filter: (path) => !/\.(sh|mjs)$/.test(path),
      });
      expect(await listed(machine)).toEqual([...names]);
      const [name, args, output] = call;
      const ended = await machine.run(['tools', 'run', name, '--args', args, '--allowed-tools', name]);
      expect(ended).toMatchObject({ stdout: output, code: 0 });
      expect((await machine.run(['tools', 'check', checked])).stdout).toMatch(/^Grade A/m);
    },
  );
});

describe('a discovered tool', () => {
  const declaration = `[{"name": "ping", "description": "Answers with a word."}]`;
  const commands = { discovery: ['echo', declaration], call: ['echo', 'pong'] };

  it.each<[string, object]>([
    [
      'tools.toolDiscoveryCommand',
      { tools: { toolDiscoveryCommand: commands.discovery, toolCallCommand: commands.call } },
    ],
    [
      'tools.discoveryCommand',
      { tools: { discoveryCommand: commands.discovery, callCommand: commands.call } },
    ],
    ['toolDiscoveryCommand', { toolDiscoveryCommand: commands.discovery, toolCallCommand: commands.call }],
    ['one string', { toolDiscoveryCommand: `echo '${declaration}'`, toolCallCommand: 'echo pong' }],
  ])('is found by the setting spelled %s', async (_, value) => {
    const machine = open();
    settings(machine, value);
    expect(await listed(machine)).toEqual(['ping']);
    expect((await machine.run(['tools', 'run', 'ping', '-y'])).stdout).toBe('pong ping\n');
  });

  it('is asked about, denied in plan mode, and called when a rule names it', async () => {
    const machine = open();
    settings(machine, { toolDiscoveryCommand: commands.discovery, toolCallCommand: commands.call });
    const asked = await machine.run(['tools', 'run', 'ping']);
    expect(asked.code).toBe(54);
    expect(asked.stderr).toContain('nobody could be asked. See --approval-mode and --allowed-tools.');
    const planned = await machine.run(['tools', 'run', 'ping', '--approval-mode', 'plan']);
    expect(planned.stderr).toMatch(/^Plan mode: not called\.$/m);
    expect((await machine.run(['tools', 'run', 'ping', '--allowed-tools', 'ping'])).stdout).toBe(
      'pong ping\n',
    );
    expect(await listed(machine, '--exclude-tools', 'ping')).toEqual([]);
  });

  it('is told of when it can not be found, and everything else goes on', async () => {
    const machine = open();
    settings(machine, { toolDiscoveryCommand: ['sh', '-c', 'echo oops; exit 3'], toolCallCommand: 'true' });
    const { stderr, code } = await machine.run(['-p', 'list .', '--provider', 'offline']);
    expect(stderr).toContain("The discovery command sh -c 'echo oops; exit 3': it ended with status 3.");
    expect(stderr).toContain('On standard output: oops');
    expect(code).toBe(0);
    settings(machine, { toolDiscoveryCommand: 'list-tools | jq .', toolCallCommand: 'true' });
    const wrong = await machine.run(['tools', 'list']);
    expect(wrong.stderr).toContain('tools.toolDiscoveryCommand: "|" means something to a shell only');
    expect(wrong.code).toBe(0);
  });
});

describe('a project', () => {
  const canary = (name: string): string => `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(name)}, 'ran');
export default { apiVersion: 1, name: 'canary', description: 'Sings in a mine.', parameters: { type: 'object' }, effects: () => [], run: () => '${name}' };
`;
  const files = {
    '.toolwright/tools/canary.ts': canary('first.txt'),
    '.toolwright/tools/bird.json': JSON.stringify({
      v: 1,
      name: 'bird',
      description: 'Sings outside.',
      command: ['./bird.sh'],
    }),
    '.toolwright/tools/bird.sh': '#!/bin/sh\necho tweet\n',
    '.toolwright/settings.json': JSON.stringify({
      toolDiscoveryCommand: ['sh', 'discover.sh'],
      toolCallCommand: ['sh', 'discover.sh'],
    }),
    'discover.sh': `touch discovered.txt; echo '[{"name": "found"}]'`,
  };
  const ran = (machine: Machine): string[] =>
    readdirSync(machine.workspace).filter((name) => name.endsWith('.txt'));

  it('that is not trusted runs nothing of its own, whatever is asked', async () => {
    const machine = open(files);
    for (const args of [
      ['tools', 'list'],
      ['-p', 'use canary', '--provider', 'offline'],
      ['tools', 'check', 'canary'],
      ['doctor'],
    ])
      await machine.run(args);
    expect(ran(machine)).toEqual([]);
    expect(await listed(machine)).toEqual([]);
    const { stderr } = await machine.run(['tools', 'check', 'canary']);
    expect(stderr).toContain(
      '.toolwright/tools/canary.ts is not used, because this folder is not trusted (toolwright trust).',
    );
  });

  it('that is trusted offers its tools until one of the files changes', async () => {
    const machine = open(files);
    await machine.run(['trust']);
    expect(await listed(machine)).toEqual(['bird', 'canary', 'found']);
    expect(ran(machine)).toContain('first.txt');
    for (const name of ['.toolwright/tools/canary.ts', '.toolwright/tools/bird.sh', 'discover.sh']) {
      const path = join(machine.workspace, name);
      const before = readFileSync(path, 'utf8');
      writeFileSync(path, `${before}\n`);
      const { stderr } = await machine.run(['tools', 'list']);
      expect(stderr).toContain(`it changed since you trusted it (${name} modified)`);
      expect(await listed(machine)).toEqual([]);
      writeFileSync(path, before);
    }
    machine.write('.toolwright/tools/canary.ts', canary('second.txt'));
    await machine.run(['tools', 'list']);
    expect(existsSync(join(machine.workspace, 'second.txt'))).toBe(false);
    await machine.run(['trust']);
    expect(await listed(machine)).toContain('canary');
    expect(existsSync(join(machine.workspace, 'second.txt'))).toBe(true);
  });

  it('is trusted for one run by --trust', async () => {
    const machine = open(files);
    expect(await listed(machine, '--trust')).toContain('canary');
    expect(await listed(machine)).toEqual([]);
  });
});
