import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { createMachine, type Ended, type Machine, program } from './program.js';

/** A shell with nothing else to do that says which descriptors it was given. */
const RECORD = 'ls -l /proc/$$/fd; :';
const asCommand = `sh -c '${RECORD}'`;
/** Opens a folder as 3 to 64, but for 16: Node takes care of what comes before the first gap. */
const WITH_DESCRIPTORS =
  'folder=$1; shift; for n in {3..15} {17..64}; do eval "exec $n<\\"\\$folder\\""; done; exec "$@"';
const wire = fileURLToPath(new URL('./servers/wire.mjs', import.meta.url));

let machine: Machine;
let secret: string;

beforeAll(() => {
  machine = createMachine({ 'a.txt': 'needle\n' });
  secret = join(machine.home, 'secret');
  mkdirSync(secret);
});
afterAll(() => machine.cleanup());

type Heard = (text: string, end: () => void) => void;

function start(
  args: string[],
  { input, env, onOutput }: { input?: string; env?: Record<string, string>; onOutput?: Heard } = {},
) {
  const { PATH = '' } = process.env;
  const child = spawn('bash', ['-c', WITH_DESCRIPTORS, 'bash', secret, process.execPath, program, ...args], {
    cwd: machine.workspace,
    env: { PATH, HOME: machine.home, NO_COLOR: '1', ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdin.write(input ?? '');
  if (!onOutput) child.stdin.end();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    onOutput?.(output.stdout, () => child.stdin.end());
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ ...output, code, signal })),
  );
  return { pid: child.pid!, ended };
}

/** Reads the output of `ls`, but for the folder that `ls` itself had open. */
function descriptorsIn(text: string): string[] {
  const found = [...text.matchAll(/(\d+) -> (\S+)/g)].filter(
    ([, , target]) => !/^\/proc\/\d+\/fd/.test(target!),
  );
  return found.map(([, number, target]) => (Number(number) < 3 ? number! : `${number} -> ${target}`));
}

function tell(path: string, seen: readonly string[]): void {
  console.log(`evidence: descriptors: ${path.padEnd(34)} ${seen.join(' ')}`);
}

const shellCall = (args: object) => ['tools', 'run', 'run_shell_command', '--args', JSON.stringify(args)];

describe.runIf(isConfined)('with a folder open as descriptors 3 to 64', () => {
  const ways: [string, string[], Record<string, string>?][] = [
    ['a command that only reads', shellCall({ command: 'ls -l /proc/self/fd' })],
    ['the same in plan mode', [...shellCall({ command: 'ls -l /proc/self/fd' }), '--approval-mode', 'plan']],
    ['a staged command', shellCall({ command: asCommand })],
    ['a granted command', [...shellCall({ command: asCommand }), '--allowed-tools', 'Shell(sh)']],
    ['a command without a question', [...shellCall({ command: asCommand }), '-y']],
    ['a command with network', [...shellCall({ command: asCommand, network: true }), '-y']],
    ['a command without a sandbox', [...shellCall({ command: asCommand }), '-y', '--sandbox', 'off']],
    ['a command that can not be staged', [...shellCall({ command: asCommand }), '-y'], { inside: 'yes' }],
  ];

  it.each(ways)('%s gets the standard ones alone', async (name, args, where) => {
    const env: Record<string, string> = where ? { TOOLWRIGHT_HOME: join(machine.workspace, '.state') } : {};
    const { stdout, stderr } = await start(args, { env }).ended;
    const seen = descriptorsIn(stdout);
    tell(name, seen);
    expect(seen, stdout + stderr).toEqual(['0', '1', '2']);
  });

  it('a program that is a tool, and a discovery command, get the standard ones alone', async () => {
    const tools = join(machine.state, 'tools');
    mkdirSync(tools, { recursive: true, mode: 0o700 });
    const manifest = {
      v: 1,
      name: 'seen',
      description: 'Tells.',
      parameters: { type: 'object', properties: {} },
    };
    writeFileSync(join(tools, 'seen.json'), JSON.stringify({ ...manifest, command: ['sh', '-c', RECORD] }));
    // In files, because a setting has variables of its own.
    const discovery = join(tools, 'discover.sh');
    const declaration = '[{"name": "found", "parameters": {"type": "object"}, "description": "';
    writeFileSync(discovery, `printf '%s' '${declaration}'; sh -c '${RECORD}' | tr -d '\\n'; echo '"}]'`);
    writeFileSync(join(tools, 'call.sh'), asCommand);
    const settings = {
      tools: { toolDiscoveryCommand: ['sh', discovery], toolCallCommand: ['sh', join(tools, 'call.sh')] },
    };
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify(settings));
    const answers: [string, Ended][] = [
      ['a program that is a tool', await start(['tools', 'run', 'seen', '--args', '{}', '-y']).ended],
      ['a discovery command', await start(['tools', 'show', 'found']).ended],
      ['a discovered tool', await start(['tools', 'run', 'found', '--args', '{}', '-y']).ended],
    ];
    writeFileSync(join(machine.state, 'settings.json'), '{}');
    for (const [name, { stdout, stderr }] of answers) {
      const seen = descriptorsIn(stdout);
      tell(name, seen);
      expect(seen, stdout + stderr).toEqual(['0', '1', '2']);
    }
  });

  it.each(['off', 'read'])('an MCP server gets the standard ones alone (sandbox: %s)', async (sandbox) => {
    machine.write('servers/wire.mjs', readFileSync(wire, 'utf8'));
    machine.write(
      'servers/server.mjs',
      `import { readFileSync } from 'node:fs';
import { serve, text } from './wire.mjs';
serve('seen', {
  'tools/list': () => ({ tools: [{ name: 'told', inputSchema: { type: 'object' } }] }),
  'tools/call': () => text(readFileSync(process.argv[2], 'utf8')),
});`,
    );
    machine.write(
      'servers/server.sh',
      `seen="\${TMPDIR:-/tmp}/seen-$$"; sh -c '${RECORD}' > "$seen"; exec ${process.execPath} servers/server.mjs "$seen"`,
    );
    const configuration = join(machine.home, 'servers.json');
    writeFileSync(
      configuration,
      JSON.stringify({
        mcpServers: {
          seeing: { command: 'sh', args: [join(machine.workspace, 'servers/server.sh')], sandbox },
        },
      }),
    );
    const { stdout, stderr } = await start([
      ...['tools', 'run', 'told', '--args', '{}', '-y', '--trust', '--mcp-config', configuration],
    ]).ended;
    const seen = descriptorsIn(stdout);
    tell(`an MCP server, sandbox: ${sandbox}`, seen);
    expect(seen, stdout + stderr).toEqual(['0', '1', '2']);
  });

  it('ripgrep gets the standard descriptors and no others', async () => {
    const ripgrep = join(machine.home, 'rg');
    const file = join(machine.home, 'seen-by-ripgrep');
    writeFileSync(ripgrep, `#!/bin/sh\nsh -c '${RECORD}' > ${file}\nexit 1\n`, { mode: 0o755 });
    await start(['tools', 'run', 'grep_search', '--args', '{"pattern": "needle"}'], {
      env: { TOOLWRIGHT_RIPGREP: ripgrep },
    }).ended;
    const seen = descriptorsIn(readFileSync(file, 'utf8'));
    tell('ripgrep', seen);
    expect(seen).toEqual(['0', '1', '2']);
  });

  it('a job on a terminal, what runs beside it, and the watchdog get what is meant for them', async () => {
    const job = { command: `${asCommand} > job.txt; echo started; sleep 60`, is_background: true };
    const lines = [job, { command: asCommand }].map((args) =>
      JSON.stringify({ name: 'run_shell_command', args }),
    );
    let holders: string[] = [];
    const { pid, ended } = start(['tools', 'run', '--batch', '-y', '--sandbox', 'off'], {
      input: `${lines.join('\n')}\n`,
      onOutput(text, end) {
        if (text.trim().split('\n').length < 2) return;
        holders = processesHolding(secret, pid);
        end();
      },
    });
    const { stdout, stderr } = await ended;
    const [, beside = ''] = stdout.trim().split('\n');
    const seen = descriptorsIn((JSON.parse(beside) as { llmContent: string }).llmContent);
    tell('a command beside a job', seen);
    expect(seen, stdout + stderr).toEqual(['0', '1', '2']);
    const seenByJob = descriptorsIn(readFileSync(join(machine.workspace, 'job.txt'), 'utf8'));
    tell('a job', seenByJob);
    expect(seenByJob).toEqual(['0', '1', '2']);
    tell('watchdog, job and all others alive', holders);
    expect(holders).toEqual([]);
  });
});

/** The command lines of the processes other than the program itself that have a folder open. */
function processesHolding(folder: string, except: number): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== except);
  return all.flatMap((pid) => {
    try {
      const holds = readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === folder);
      return holds ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
