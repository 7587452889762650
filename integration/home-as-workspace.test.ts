import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type ApprovalMode,
  type ConfirmRequest,
  createToolbox,
  type Outcome,
  type RuleText,
  type SettledCall,
  textOf,
} from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({ 'notes.txt': 'plain\n' });
  for (const path of [
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.config/gh/hosts.yml',
    '.toolwright/settings.json',
  ])
    put(path, 'KEY=swordfish\n');
});
afterEach(() => machine.cleanup());

function put(path: string, text: string): void {
  const at = join(machine.workspace, path);
  mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
  writeFileSync(at, text);
}

interface Flow {
  asked: ConfirmRequest[];
  notices: readonly string[];
  call(tool: string, args: Record<string, unknown>): Promise<SettledCall>;
}

interface Opened {
  mode?: ApprovalMode;
  rules?: RuleText[];
  answer?: Outcome;
  sandbox?: 'auto' | 'off';
}

const no: Outcome = { kind: 'cancel', reason: 'not now' };

/** The workspace is the home, with the state in it. */
async function open({
  mode = 'yolo',
  rules = [],
  answer = no,
  sandbox = 'auto',
}: Opened = {}): Promise<Flow> {
  const asked: ConfirmRequest[] = [];
  const home = machine.workspace;
  const toolbox = await createToolbox({
    workspace: home,
    stateFolder: join(home, '.toolwright'),
    environment: { ...process.env, HOME: home },
    approvalMode: mode,
    rules,
    sandbox: { mode: sandbox },
    confirm: async (request) => {
      asked.push(request);
      return answer;
    },
  });
  return {
    asked,
    notices: toolbox.notices,
    async call(name, args) {
      const [settled] = await toolbox.scheduler.run(
        [{ id: '', name, arguments: args }],
        new AbortController().signal,
      );
      return settled!;
    },
  };
}

const sandboxes = isConfined ? (['auto', 'off'] as const) : (['off'] as const);
const secrets = ['.ssh/id_ed25519', '.aws/credentials', '.config/gh/hosts.yml', '.toolwright/settings.json'];

describe('a workspace that is the home', () => {
  it.each(secrets)('asks before %s is read, whatever the mode', async (path) => {
    for (const mode of ['default', 'auto-edit', 'yolo'] as const) {
      const { asked, call } = await open({ mode });
      const settled = await call('read_file', { absolute_path: path });
      expect(textOf(settled.llmContent)).not.toContain('swordfish');
      expect(asked.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/ mode asks before reading .* \(it holds .*, which is always asked about\)$/),
      ]);
    }
    const { asked, call } = await open({ mode: 'plan' });
    expect((await call('read_file', { absolute_path: path })).denied?.by).toBe('rule');
    expect(asked).toEqual([]);
  });

  it('offers to remember no more than the very file, and only such a rule allows it', async () => {
    const { asked, call } = await open();
    await call('read_file', { absolute_path: '.aws/credentials' });
    expect(asked[0]?.offers.map(({ rule }) => rule)).toEqual(['Read(.aws/credentials)']);
    await call('list_directory', { path: '.aws' });
    expect(asked[1]?.offers).toEqual([]);
    const allow = (text: string): RuleText => ({ verdict: 'allow', text, source: 'here' });
    const broad = await open({
      rules: ['Read(.aws)', 'Read(**)', 'Read(~/.aws/**)', 'read_file'].map(allow),
    });
    await broad.call('read_file', { absolute_path: '.aws/credentials' });
    expect(broad.asked).toHaveLength(1);
    const exact = await open({ rules: [allow('Read(~/.aws/credentials)')] });
    const read = await exact.call('read_file', { absolute_path: '.aws/credentials' });
    expect([textOf(read.llmContent), exact.asked]).toEqual([expect.stringContaining('KEY=swordfish'), []]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['grep_search', { pattern: 'sword.ish', include_ignored: true }],
    ['read_many_files', { paths: ['**/*', '.'], use_default_excludes: false }],
    ['glob', { pattern: '**/*' }],
  ])('is looked through by %s without what is secret, and a note says so', async (tool, args) => {
    const { asked, call } = await open();
    const answer = textOf((await call(tool, args)).llmContent);
    expect(answer).not.toMatch(/swordfish|id_ed25519/);
    expect(answer).toMatch(/hidden by rules/);
    expect(asked).toEqual([]);
  });

  it.each([
    '.config/git/config',
    '.config/autostart/x.desktop',
    '.config/systemd/user/x.service',
    '.config/fish/conf.d/x.fish',
    '.local/bin/ls',
    '.vimrc',
    '.aws/config',
    '.devcontainer.json',
    '.roo/mcp.json',
    'a.code-workspace',
  ])('asks before it writes %s, in every mode', async (file_path) => {
    for (const mode of ['default', 'auto-edit', 'yolo'] as const) {
      const { asked, call } = await open({ mode });
      expect((await call('write_file', { file_path, content: 'x\n' })).denied?.by).toBe('user');
      expect(asked[0]?.reason).toMatch(/protected path is always asked about/);
    }
  });

  it.each(sandboxes)('asks before a command reads what is secret (sandbox %s)', async (sandbox) => {
    const { asked, call } = await open({ sandbox });
    const command = 'cat .aws/credentials';
    expect(textOf((await call('run_shell_command', { command })).llmContent)).not.toContain('swordfish');
    expect(asked[0]?.reason).toMatch(
      /asks before reading \.aws\/credentials \(it holds keys and passwords of cloud/,
    );
    expect(asked[0]?.details).toMatchObject({
      warnings: ['.aws/credentials: it can read this, which holds keys and passwords of cloud services'],
    });
    const agreed = await open({ sandbox, answer: { kind: 'once' } });
    expect(textOf((await agreed.call('run_shell_command', { command })).llmContent)).toContain('swordfish');
  });

  it.each(sandboxes)(
    'shows a command that names nothing secret nothing secret (sandbox %s)',
    async (sandbox) => {
      const { call } = await open({ sandbox });
      // A path known only when the command runs needs a sandbox to hide it.
      const hidden = sandbox === 'auto' ? ['cat $(echo .aws/credentials)'] : [];
      for (const command of ['grep -r sword.ish .', 'cat .a*/*', ...hidden]) {
        const settled = await call('run_shell_command', { command });
        expect(textOf(settled.llmContent)).not.toContain('swordfish');
      }
    },
  );

  it('is said at the start', async () => {
    put('.toolwright/settings.json', '{}');
    const { notices } = await open();
    expect(notices).toEqual([
      expect.stringMatching(/ is your home folder: it holds keys, passwords and files that programs run/),
    ]);
    const ended = await machine.run(['-p', 'hello', '--provider', 'offline'], {
      env: { HOME: machine.workspace },
    });
    expect(ended.stderr).toContain('is your home folder');
    const doctor = await machine.run(['doctor', '--json'], { env: { HOME: machine.workspace } });
    const rows = JSON.parse(doctor.stdout) as { state: string; what: string; detail: string }[];
    expect(rows.find(({ what }) => what === 'Workspace')).toMatchObject({
      state: 'note',
      detail: expect.stringContaining('is your home folder'),
    });
  });

  it('refuses what is secret where nobody can be asked', async () => {
    put('.toolwright/settings.json', '{}');
    const args = ['tools', 'run', 'read_file', '--args', '{"absolute_path": ".aws/credentials"}', '-y'];
    const { code, stdout, stderr } = await machine.run(args, { env: { HOME: machine.workspace } });
    expect([code, /swordfish/.test(stdout + stderr)]).toEqual([54, false]);
    expect(stderr).toContain('it holds keys and passwords of cloud services');
  });

  it.runIf(isConfined)('keeps what programs run from a job, and shows it nothing secret', async () => {
    put('.config/git/config', '[user]\nname = ann\n');
    put('.local/bin/tool', 'old\n');
    const { call } = await open({ answer: { kind: 'once' } });
    const attempts = [
      'echo x >> .config/git/config',
      'mv .config moved',
      'echo x > .local/bin/tool',
      'cat $(printf %s .aws)/* $(printf %s .ssh)/*',
    ];
    const command = `x=.; cd $x; ${attempts.join('; ')}; echo tried`;
    const answer = textOf((await call('run_shell_command', { command, is_background: true })).llmContent);
    expect(answer).toMatch(/tried/);
    expect(answer).not.toContain('swordfish');
    const read = (path: string) => readFileSync(join(machine.workspace, path), 'utf8');
    expect([read('.config/git/config'), read('.local/bin/tool')]).toEqual(['[user]\nname = ann\n', 'old\n']);
  });
});

describe.runIf(isConfined)('a command that works in the home itself', () => {
  const hidden =
    "import os; [os.makedirs(d, exist_ok=True) for d in ('.local/bin', 'work')]; [open(p, 'w').write('x') for p in ('.bash_profile', '.local/bin/ls', 'work/a.txt')]; os.symlink('/etc/hostname', 'work/link')";

  it.each(['auto-edit', 'yolo'] as const)(
    'leaves no file that programs run and no link that leads out, in %s mode, and what else it made stays',
    async (mode) => {
      const { asked, call } = await open({ mode });
      const settled = await call('run_shell_command', { command: `python3 -c "${hidden}"` });
      const said = textOf(settled.llmContent);
      expect(asked).toEqual([]);
      expect(said).toContain('[it ran in the workspace itself: ');
      for (const path of ['.bash_profile', '.local/bin', 'work/link']) {
        expect(said).toContain(`[not kept: ${path}: ${mode} mode asks before writing ${path} (`);
        expect(existsSync(join(machine.workspace, path))).toBe(false);
      }
      expect(readFileSync(join(machine.workspace, 'work/a.txt'), 'utf8')).toBe('x');
      expect(said).toMatch(/\[kept: 1 file and 2 folders created: work\/a\.txt, .*\]/);
    },
  );
});
