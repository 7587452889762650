import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { makeTar, makeZip } from '../packages/machine/src/base/archives/fixtures/make-archives.js';
import { canConfine } from './extensions/confining.js';
import { createMachine, type Machine } from './program.js';
import { table } from './wild/table.js';

const rows: string[][] = [];
afterAll(() => console.log(table('evidence: what bad input gets', rows)));

interface Hostile {
  what: string;
  /** Files of the home, beside a skill that is in order. */
  home?: Record<string, string>;
  make?(machine: Machine): void;
  args: readonly string[];
  says: RegExp;
  /** Default: 0. */
  code?: number;
}

const skills = ['skills', 'check'];
const offline = (prompt: string): string[] => ['-p', prompt, '--provider', 'offline'];
const install = (name: string): string[] => ['extensions', 'install', `../home/${name}`, '--yes'];
const bytes = (name: string, content: Buffer) => (machine: Machine) =>
  writeFileSync(join(machine.home, name), content);
const manifest = { path: 'plugin.json', text: '{"name": "x"}' };
/** A hook of the user's own about each command. */
const hook = (script: string, timeout = 1): Record<string, string> => ({
  '.toolwright/hooks/hooks.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: '~/.toolwright/hooks/h.sh', timeout }] },
      ],
    },
  }),
  '.toolwright/hooks/h.sh': `#!/bin/bash\n${script}\n`,
});
const command = ['tools', 'run', 'run_shell_command', '--args', '{"command": "touch made.txt"}', '-y'];

const cases: Hostile[] = [
  {
    what: 'front matter without an end',
    home: { '.claude/skills/a/SKILL.md': '---\nname: a\n' },
    args: skills,
    says: /a\/SKILL\.md:1: the front matter begins here and never ends.*/,
    code: 1,
  },
  {
    what: 'front matter with an open quote',
    home: { '.claude/skills/a/SKILL.md': '---\nname: a\ndescription: "x\n---\n' },
    args: skills,
    says: /a\/SKILL\.md:3: the value of description has a quote.*/,
    code: 1,
  },
  {
    what: 'a description of 1,025 characters',
    home: { '.claude/skills/a/SKILL.md': `---\ndescription: ${'x'.repeat(1_025)}\n---\n` },
    args: skills,
    says: /a\/SKILL\.md:2: the description has 1025 characters; 1024 are allowed\./,
    code: 1,
  },
  {
    what: 'a subagent without a description',
    home: { '.claude/agents/a.md': '---\nname: a\n---\n' },
    args: offline('use agent with {"agent": "a", "task": "x"}'),
    says: /The agent a is off: .*a\.md:1: description is missing.*/,
  },
  {
    what: 'broken TOML',
    home: { '.gemini/commands/a.toml': 'prompt = "x\n' },
    args: offline('/a'),
    says: /a\.toml:1: it is not TOML.*\/a is off\./,
    code: 1,
  },
  {
    what: 'broken JSON of hooks',
    home: { '.toolwright/hooks/hooks.json': '{\n  "hooks": {\n' },
    args: ['hooks', 'list'],
    says: /hooks\.json:\d: it is not JSON.*/,
  },
  {
    what: 'an unknown event',
    home: { '.toolwright/hooks/hooks.json': '{"hooks": {"PreToolUsed": []}}' },
    args: ['hooks', 'list'],
    says: /hooks\.json:1: there is no event PreToolUsed here.*/,
  },
  {
    what: 'broken JSON of an extension',
    home: { 'ext/plugin.json': '{\n  "name": oops\n}' },
    args: install('ext'),
    says: /plugin\.json:2: .*/,
    code: 52,
  },
  {
    what: 'imports in a circle',
    home: { '.toolwright/AGENTS.md': 'One.\n@a.md\n', '.toolwright/a.md': 'Two.\n@AGENTS.md\n' },
    args: ['memory', 'show'],
    says: /@AGENTS\.md {2}\(imports itself; cut\)/,
  },
  {
    what: 'a hook that hangs',
    home: hook('sleep 987'),
    args: command,
    says: /did not answer within 1 s.*/,
    code: 54,
  },
  {
    what: 'a hook that floods',
    home: hook('yes', 20),
    args: command,
    says: /printed more than 1 MB.*/,
    code: 54,
  },
  {
    what: 'a hook that says yes and cannot',
    home: hook(`echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'`, 20),
    args: [
      'tools',
      'run',
      'run_shell_command',
      '--args',
      '{"command": "touch made.txt"}',
      '--approval-mode',
      'plan',
    ],
    says: /the workspace is read-only in this mode/,
  },
  {
    what: 'a hook whose JSON is none',
    home: hook(`echo '{"decision": '`, 20),
    args: ['hooks', 'try', 'PreToolUse'],
    says: /.*JSON.*|says nothing.*/,
  },
  {
    what: 'an archive with a path that leads out',
    make: bytes('out.zip', makeZip([manifest, { path: '../../x', text: 'x' }])),
    args: install('out.zip'),
    says: /"\.\.\/\.\.\/x" is a path that leaves the folder.*/,
    code: 52,
  },
  {
    what: 'an archive with a link',
    make: bytes('link.tgz', makeTar([manifest, { path: 'l', text: '', type: '2' }])),
    args: install('link.tgz'),
    says: /l is a link.*/,
    code: 52,
  },
  {
    what: 'an archive that is a bomb',
    make: bytes('bomb.zip', makeZip([manifest, { path: 'b', text: '\0'.repeat(140 * 2 ** 20) }])),
    args: install('bomb.zip'),
    says: /it unpacks to more than 128 MB.*/,
    code: 52,
  },
  {
    what: 'a bomb in a tar.gz',
    make: bytes(
      'bomb.tar.gz',
      gzipSync(makeTar([manifest, { path: 'b', text: '\0'.repeat(140 * 2 ** 20) }])),
    ),
    args: install('bomb.tar.gz'),
    says: /it unpacks to more than 128 MB.*/,
    code: 52,
  },
  {
    what: 'an archive that is too large itself',
    make: ({ home }) => {
      writeFileSync(join(home, 'large.zip'), 'PK');
      truncateSync(join(home, 'large.zip'), 129 * 2 ** 20);
    },
    args: install('large.zip'),
    says: /large\.zip was not unpacked: it is larger than 128 MB, or gone\./,
    code: 52,
  },
  {
    what: 'a skill that is too large',
    home: { '.claude/skills/a/SKILL.md': `---\ndescription: Large.\n---\n${'x'.repeat(300 * 1024)}` },
    args: skills,
    says: /a\/SKILL\.md.*(?:larger|more) than.*/,
    code: 1,
  },
  {
    what: 'a manifest that is too large',
    home: { 'ext/plugin.json': `{"name": "ext", "description": "${'x'.repeat(1100 * 1024)}"}` },
    args: install('ext'),
    says: /plugin\.json.*(?:larger|more) than.*/,
    code: 52,
  },
  {
    what: 'an archive with too many files',
    make: bytes(
      'many.zip',
      makeZip([manifest, ...Array.from({ length: 5_001 }, (_, at) => ({ path: `f${at}`, text: '' }))]),
    ),
    args: install('many.zip'),
    says: /many\.zip was not unpacked: it has more than 5000 files\./,
    code: 52,
  },
  {
    what: 'an extension with a link out of its folder',
    home: { 'ext/plugin.json': '{"name": "ext"}' },
    make: ({ home }) => symlinkSync('/etc', join(home, 'ext/skills')),
    args: install('ext'),
    says: /skills is a link that leads out of the folder.*/,
    code: 52,
  },
  {
    what: '10,000 skills',
    make({ home }) {
      for (let index = 0; index < 10_000; index++) {
        const folder = join(home, `.claude/skills/s${String(index).padStart(5, '0')}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'SKILL.md'), `---\ndescription: Number ${index}.\n---\nDo ${index}.\n`);
      }
    },
    args: offline('use skill with name="s09999"'),
    says: /The skill s09999\..*/,
  },
];

it.skipIf(!canConfine).each(cases.map((each) => [each.what, each] as const))(
  '%s gets a message of its own, and costs only itself',
  async (what, { home = {}, make, args, says, code = 0 }) => {
    const machine = createMachine({ 'a.txt': 'alpha\n' });
    const files = { '.claude/skills/fine/SKILL.md': '---\ndescription: In order.\n---\nFine.\n', ...home };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(machine.home, path)), { recursive: true });
      writeFileSync(join(machine.home, path), text);
      if (path.endsWith('.sh')) chmodSync(join(machine.home, path), 0o755);
    }
    make?.(machine);
    const ended = await machine.run([...args]);
    const said = `${ended.stdout}${ended.stderr}`;
    expect(said).toMatch(says);
    expect(ended.code, said).toBe(code);
    expect(said).not.toMatch(/^ {4}at /m);
    const fine = await machine.run(offline('use skill with name="fine"'));
    expect(fine.stdout).toContain('Fine.');
    rows.push([what, `exit ${ended.code}`, says.exec(said)![0].trim().slice(0, 150)]);
    machine.cleanup();
  },
  120_000,
);
