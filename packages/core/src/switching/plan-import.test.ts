import { writeFileSync } from 'node:fs';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { hookInputOf } from '../pieces/hooks/hook-input.js';
import { hookNamesOf, matchedName, type NamedTool } from '../pieces/hooks/hook-names.js';
import { readHooks } from '../pieces/hooks/read-hooks.js';
import { carryRule } from './carry-rule.js';
import { describeImport } from './describe-import.js';
import { HomeFindings, type OtherAgent } from './findings.js';
import { otherHomes } from './homes-here.js';
import { planImport, readHome } from './plan-import.js';

let made: TempWorkspace | undefined;
afterEach(() => made?.cleanup());
const { signal } = new AbortController();

async function homeOf(
  agent: OtherAgent,
  content: Record<string, string | object>,
  environment = {},
): Promise<HomeFindings> {
  made = createTempWorkspace({
    content: Object.fromEntries(
      Object.entries(content).map(([path, value]) => [
        path,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  });
  return readHome(agent, { home: made.directory, environment, signal });
}

async function filesAfter(...all: HomeFindings[]): Promise<Record<string, string>> {
  const stateFolder = `${made!.directory}/state`;
  const { changeSet, blobs } = await planImport(all, { stateFolder, id: 'x' });
  const entries = await Promise.all(
    changeSet.changes.map(async (change) => {
      if (!('after' in change) || typeof change.after === 'number') throw new Error(change.kind);
      const text = Buffer.from(await blobs.read(change.after.hash)).toString();
      return [change.path.slice(stateFolder.length + 1), text];
    }),
  );
  return Object.fromEntries(entries);
}

describe('a rule of another agent', () => {
  it.each([
    ['Bash(npm run test:*)', 'Shell(npm run test)'],
    ['Bash(git log *)', 'Shell(git log)'],
    ['run_shell_command(git status)', 'Shell(git status)'],
    ['Read(./.env)', 'Read(.env)'],
    ['Read(//etc/hosts)', 'Read(/etc/hosts)'],
    ['Write(src/**)', 'Edit(src/**)'],
    ['WebFetch(domain:docs.rs)', 'Fetch(docs.rs)'],
    ['mcp__github__get_issue', 'Mcp(github/get_issue)'],
    ['mcp__github', 'Mcp(github)'],
    ['WebSearch', 'web_search'],
  ])('%s is %s here', (written, rule) => {
    expect(carryRule(written)).toEqual({ rule });
  });

  it.each([
    ['Bash', 'it is about every command'],
    ['Bash(*)', 'it is about every command'],
    ['Bash(git * log)', 'a star inside of a command'],
    ['Bash(cd x && rm -rf y)', 'has a &'],
    ['Read', 'it is about every file'],
    ['LaunchRocket', 'there is no such tool here'],
  ])('%s does not come over, and the reason is told', (written, why) => {
    expect(carryRule(written)).toEqual({ why: expect.stringContaining(why) });
  });

  it.each([
    ['Bash', 'run_shell_command'],
    ['Bash(*)', 'run_shell_command'],
    ['WebFetch', 'web_fetch'],
    ['google_web_search', 'web_search'],
    ['Write', 'Edit(**)'],
    ['Read(**)', 'Read(**)'],
    ['mcp__github', 'Mcp(github)'],
    ['Bash(git * --force)', 'Shell(git * --force)'],
    ['Bash(git push --force*)', 'Shell(git push --force*)'],
    ['Bash(rm*)', 'Shell(rm*)'],
    ['Bash(* --no-verify)', 'Shell(* --no-verify)'],
    ['Bash(rm:*)', 'Shell(rm)'],
    ['Bash(rm *)', 'Shell(rm)'],
  ])('%s comes over whole when it denies: %s', (written, rule) => {
    expect(carryRule(written, 'deny')).toEqual({ rule });
  });
});

it('what allows arrives switched off, what denies counts, and modes that ask less are never taken', async () => {
  const found = await homeOf('claude', {
    '.claude/settings.json': {
      permissions: { allow: ['Bash(ls)'], deny: ['Bash(rm:*)'], defaultMode: 'acceptEdits' },
    },
  });
  const { 'settings.json': text = '' } = await filesAfter(found);
  expect(JSON.parse(text)).toEqual({ permissions: { offered: ['Shell(ls)'], deny: ['Shell(rm)'] } });
  expect(describeImport(found)).toContain('the mode acceptEdits: a mode that asks less is never taken over');
});

it('members of groups that have no meaning here are named, and what leaves a part of a tool out is denied', async () => {
  const found = await homeOf('gemini', {
    '.gemini/settings.json': {
      tools: { core: ['read_file'], exclude: ['run_shell_command(rm)', 'web_fetch'] },
      general: { checkpointing: { enabled: true }, vimMode: true },
    },
  });
  const { 'settings.json': text = '' } = await filesAfter(found);
  expect(JSON.parse(text)).toEqual({
    tools: { exclude: ['web_fetch'] },
    ui: { vim: true },
    permissions: { deny: ['Shell(rm)'] },
  });
  expect(found.left.map(({ what }) => what)).toEqual(['tools.core', 'general.checkpointing']);
});

it('a hook that nobody waits for stays one', async () => {
  const settings = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x', async: true }] }] } };
  const files = await filesAfter(await homeOf('claude', { '.claude/settings.json': settings }));
  expect(JSON.parse(files['hooks/hooks.json'] ?? '').hooks.Stop[0].hooks[0]).toMatchObject({ async: true });
});

it('no secret gets into the settings: each becomes a variable', async () => {
  const found = await homeOf('qwen', {
    '.qwen/settings.json': {
      mcpServers: {
        db: {
          command: 'db',
          args: ['--token', 'aaaabbbbcccc1', '--password=aaaabbbbcccc2', 'postgres://u:aaaabbbbcccc3@h/x'],
          env: { API_KEY: 'aaaabbbbcccc4', MODE: 'ro', OTHER_TOKEN: '$MINE' },
        },
        web: { httpUrl: 'https://h/x?key=aaaabbbbcccc5', headers: { 'X-Api-Key': 'aaaabbbbcccc6' } },
      },
    },
  });
  const { 'settings.json': text = '' } = await filesAfter(found);
  expect(text).not.toMatch(/aaaabbbb/);
  expect(JSON.parse(text).mcpServers.db.env).toEqual({
    API_KEY: '$API_KEY',
    MODE: 'ro',
    OTHER_TOKEN: '$MINE',
  });
  expect(JSON.parse(text).mcpServers.web.headers).toEqual({ 'X-Api-Key': '$WEB_X_API_KEY' });
});

it('what instructions import comes along, nested and by any spelling, and what lies elsewhere is told', async () => {
  const found = await homeOf('claude', {
    '.claude/CLAUDE.md': 'See @style.md and @~/.claude/more/tests.md, @../notes.md, @nobody and `@style.md`.',
    '.claude/style.md': 'More: @more/names.md',
    '.claude/more/names.md': 'Back: @../CLAUDE.md',
    '.claude/more/tests.md': 'Run them.',
    '.claude/rules/a.md': 'A rule.',
    'notes.md': 'x',
  });
  expect(await filesAfter(found)).toEqual({
    'AGENTS.md':
      'See @imported/claude/style.md and @imported/claude/more/tests.md, @../notes.md, @nobody and `@style.md`.',
    'imported/claude/style.md': 'More: @more/names.md',
    'imported/claude/more/names.md': 'Back: @../../../AGENTS.md',
    'imported/claude/more/tests.md': 'Run them.',
  });
  expect(found.left.map(({ what }) => what)).toEqual(['@../notes.md in CLAUDE.md', '~/.claude/rules (1)']);
});

it('policies of Gemini CLI become rules, and those that say more than a rule can are told', async () => {
  const found = await homeOf('gemini', {
    '.gemini/policies/my.toml': `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git push", "rm"]\ndecision = "deny"\npriority = 1
[[rule]]\ntoolName = ["web_fetch"]\ndecision = "ask_user"\n[[rule]]\ntoolName = "write_file"\nargsPattern = "x"\ndecision = "deny"\n`,
    '.gemini/policies/broken.toml': 'a = \n',
  });
  expect(found.rules).toMatchObject({
    ask: new Set(['web_fetch']),
    deny: new Set(['Shell(git push)', 'Shell(rm)']),
  });
  expect(found.left.map(({ what, why }) => [what.replace(/.*\//, ''), why])).toEqual([
    ['broken.toml', expect.stringContaining('could not be read')],
    ['my.toml', 'a rule here has no argsPattern; write one in permissions'],
  ]);
});

it('a policy or setting that can’t be understood, named like a member of every object too, costs no other', async () => {
  const deny = '[[rule]]\ntoolName = "web_fetch"\ndecision = "deny"\n';
  const gemini = await homeOf('gemini', {
    '.gemini/policies/my.toml': `[[rule]]\ntoolName = "web_fetch"\ndecision = "constructor"\n[[rule]]\ntoolName = "x"\ndecision = {a = 1}\n${deny}`,
    '.gemini/settings.json': { constructor: { a: 1 }, toString: {}, tools: { valueOf: 1 } },
  });
  expect(gemini.rules.deny).toEqual(new Set(['web_fetch']));
  expect(gemini.left).toEqual([
    ...['rule 1', 'rule 2'].map((rule) => ({
      what: `${rule} of policies/my.toml`,
      why: 'it names no tool or decision; write one in permissions',
    })),
    { what: 'constructor', why: 'there is no such setting here' },
    { what: 'toString', why: 'there is no such setting here' },
    { what: 'tools.valueOf', why: 'there is no such setting here' },
  ]);
  made?.cleanup();
  const codex = await homeOf('codex', {
    '.codex/config.toml': 'constructor = 1\n',
    '.codex/rules/a.rules':
      'prefix_rule(pattern=["ls"], decision="constructor")\nprefix_rule(pattern=["rm"], decision="forbidden")\n',
  });
  expect(codex.rules.deny).toEqual(new Set(['Shell(rm)']));
  expect(codex.left.map(({ what }) => what)).toEqual([expect.stringContaining('a rule of'), 'constructor']);
});

it('a hook of Gemini CLI about all tools is asked about every tool, and still gets the names that it knows', async () => {
  const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command: 'x' }] }] };
  const files = await filesAfter(await homeOf('gemini', { '.gemini/settings.json': { hooks } }));
  const path = `${made!.directory}/hooks.json`;
  writeFileSync(path, files['hooks/hooks.json'] ?? '');
  const [hook] = (await readHooks({ path, shown: path, format: 'claude', isOwn: true })).hooks;
  const told = (tool: NamedTool) => matchedName(hook!.matcher, hookNamesOf(tool, hook!.names));
  const server = { alias: 'chrome', tool: 'list-pages' };
  const tools = ['run_shell_command', 'edit', 'deploy-app', 'Deploy', 'constructor'].map((name) => ({
    name,
  }));
  expect([...tools, { name: 'chrome__list-pages', server }].map(told)).toEqual([
    ...['run_shell_command', 'edit', 'deploy-app', 'Deploy', 'constructor', 'chrome__list-pages'],
  ]);
  const params = { absolute_path: 'a' };
  expect(hookInputOf({ name: 'read_file', params }, { names: hook!.names, workspace: '/w' })).toEqual(params);
});

it('a hook comes over even where its program runs at another event already; the same hook does not come twice', async () => {
  const hook = (matcher: string) => [{ matcher, hooks: [{ type: 'command', command: 'x' }] }];
  const found = await homeOf('claude', {
    '.claude/settings.json': { hooks: { PreToolUse: [...hook('Edit'), ...hook('Bash')] } },
    'state/hooks/hooks.json': { hooks: { PostToolUse: hook('Edit'), PreToolUse: hook('Bash') } },
  });
  const { hooks } = JSON.parse((await filesAfter(found))['hooks/hooks.json'] ?? '');
  expect(hooks.PreToolUse.map(({ matcher }: { matcher: string }) => matcher)).toEqual(['Bash', 'Edit']);
});

it('of two agents with instructions the first are taken, and the others are told; the same ones are no loss', async () => {
  const claude = await homeOf('claude', { '.claude/CLAUDE.md': 'One.' });
  const [same, other] = ['One.', 'Two.'].map((text) => {
    const home = new HomeFindings('gemini');
    home.files.push({ path: 'AGENTS.md', bytes: Buffer.from(text), isProgram: false });
    return home;
  });
  expect(await filesAfter(claude, same!, other!)).toEqual({ 'AGENTS.md': 'One.' });
  expect([same!.left, other!.left.map(({ why }) => why)]).toEqual([
    [],
    ['another agent has one, too, which comes over'],
  ]);
});

it('limits of hooks are seconds afterwards, whatever they were before', async () => {
  const hook = (timeout: number) => [
    { matcher: 'write_file', hooks: [{ type: 'command', command: 'x', timeout }] },
  ];
  const gemini = await homeOf('gemini', { '.gemini/settings.json': { hooks: { BeforeTool: hook(5_000) } } });
  expect(gemini.hooks).toEqual([
    { event: 'PreToolUse', matcher: 'write_file', command: 'x', timeout: 5, names: 'gemini' },
  ]);
  made?.cleanup();
  const claude = await homeOf('claude', { '.claude/settings.json': { hooks: { PreToolUse: hook(5) } } });
  expect(claude.hooks[0]?.timeout).toBe(5);
});

it('the home of Codex gives servers, prompts and rules; what is forbidden there is denied here', async () => {
  const found = await homeOf('codex', {
    '.codex/config.toml':
      'approval_policy = "never"\n[mcp_servers.docs]\nurl = "https://h/x"\nbearer_token_env_var = "T"\ntool_timeout_sec = 2\n',
    '.codex/prompts/review.md': 'Review $1.',
    '.codex/rules/a.rules':
      'prefix_rule(\n  pattern = ["rm", "-rf"],\n  decision = "forbidden",\n)\nprefix_rule(pattern=["git", ["status", "log"], ["-s", "-v"]])\nprefix_rule(pattern=words)\nprefix_rule(pattern=["ls"])\n',
  });
  const files = await filesAfter(found);
  expect(files['commands/review.md']).toBe('Review $1.');
  expect(JSON.parse(files['settings.json'] ?? '')).toEqual({
    mcpServers: { docs: { httpUrl: 'https://h/x', headers: { Authorization: 'Bearer $T' }, timeout: 2_000 } },
    permissions: {
      offered: [
        'Shell(git status -s)',
        'Shell(git status -v)',
        'Shell(git log -s)',
        'Shell(git log -v)',
        'Shell(ls)',
      ],
      deny: ['Shell(rm -rf)'],
    },
  });
  expect(found.left.map(({ what }) => what)).toEqual([
    expect.stringContaining('a rule of'),
    'approval_policy never',
  ]);
});

it('no rule of Codex is lost untold: comments are none, quotes are either, and other code is named with its line', async () => {
  const found = await homeOf('codex', {
    '.codex/config.toml': 'project_doc_fallback_filenames = ["TEAM.md", "AGENTS.md"]\n',
    '.codex/rules/a.rules': `# prefix_rule(pattern=["rm"], decision="allow")
prefix_rule(pattern=["dd"], decision='forbidden')
prefix_rule(pattern=['mkfs', "ext4"], decision="forbidden", justification="no # here (ever)")
prefix_rule(pattern=["ls"], decision=CHOICE)
CHOICE = "forbidden"
host_rule(
  host="example.com",
  decision="deny",
)
`,
  });
  expect(found.rules).toMatchObject({
    allow: new Set(),
    deny: new Set(['Shell(dd)', 'Shell(mkfs ext4)']),
  });
  expect(found.left.map(({ what }) => what.replace(/\S*\//, ''))).toEqual([
    'a rule of a.rules: prefix_rule(pattern=["ls"], decision=CHOICE)',
    'a.rules:5: CHOICE = "forbidden"',
    'a.rules:6: host_rule(',
  ]);
  expect(found.settings).toEqual([{ path: ['context', 'fileName'], value: ['AGENTS.md', 'TEAM.md'] }]);
});

it('a word of a rule of Codex that has blanks, stars or quotes in it stays one word, and means itself', async () => {
  const rules = String.raw`prefix_rule(pattern=["bash", "-c", "rm -rf /"], decision="forbidden")
prefix_rule(pattern=["find", "*", "it's", "a\"b"], decision="prompt")
`;
  const { rules: carried } = await homeOf('codex', { '.codex/rules/a.rules': rules });
  expect(carried.deny).toEqual(new Set(["Shell(bash -c 'rm -rf /')"]));
  expect(carried.ask).toEqual(new Set([String.raw`Shell(find '*' 'it'\''s' 'a"b')`]));
});

it('a model comes over where there is a key for it; without one no conversation could begin', async () => {
  const home = { '.gemini/settings.json': { model: { name: 'gemini-x' } } };
  expect((await homeOf('gemini', home)).left).toEqual([
    {
      what: 'model gemini-x',
      why: 'no key for it is set ($GEMINI_API_KEY); /connect takes one and chooses the model',
    },
  ]);
  made?.cleanup();
  const found = await homeOf('gemini', home, { GEMINI_API_KEY: 'x' });
  expect(found.settings).toEqual([
    { path: ['model', 'provider'], value: 'gemini' },
    { path: ['model', 'name'], value: 'gemini-x' },
  ]);
});

it('what the user has already stays as it is, and is named', async () => {
  const home = {
    '.gemini/settings.json': {
      model: { name: 'gemini-x' },
      mcpServers: { a: { command: 'theirs' } },
      general: { vimMode: true },
    },
    '.gemini/GEMINI.md': 'Theirs.',
    'state/settings.json': '// mine\n{"model": {"name": "mine"}, "mcpServers": {"a": {"command": "mine"}}}',
    'state/AGENTS.md': 'Mine.',
  };
  const found = await homeOf('gemini', home, { GEMINI_API_KEY: 'x' });
  const files = await filesAfter(found);
  expect(Object.keys(files)).toEqual(['settings.json']);
  expect(files['settings.json']).toMatch(/^\/\/ mine\n/);
  expect(files['settings.json']).toContain('"command": "mine"');
  expect(found.left).toEqual([
    { what: 'model.name "gemini-x"', why: 'it is set to "mine" already' },
    { what: 'the MCP server a', why: 'there is a server of that name already' },
    { what: 'AGENTS.md of Gemini CLI', why: 'there is a ~/.toolwright/AGENTS.md already' },
  ]);
});

it('where instructions stay behind, the files that only they import do, too', async () => {
  const imports = { '.claude/style.md': 'More: @names.md', '.claude/names.md': 'x' };
  const claude = { '.claude/CLAUDE.md': 'See @style.md.', ...imports };
  const found = await homeOf('claude', { ...claude, 'state/AGENTS.md': 'Mine.' });
  expect(await filesAfter(found)).toEqual({});
  expect(found.left).toEqual([
    {
      what: 'AGENTS.md of Claude Code and 2 files that it imports',
      why: 'there is a ~/.toolwright/AGENTS.md already',
    },
  ]);
  made?.cleanup();
  const once = await homeOf('claude', { ...claude, 'state/AGENTS.md': 'See @imported/claude/style.md.' });
  expect(Object.keys(await filesAfter(once))).toEqual([
    'imported/claude/style.md',
    'imported/claude/names.md',
  ]);
  made?.cleanup();
  const other = await homeOf('claude', { ...claude, 'state/imported/claude/style.md': 'Mine.' });
  expect(Object.keys(await filesAfter(other))).toEqual(['AGENTS.md']);
});

it('a broken file is told with its line and costs only itself, and homes that are not there are not offered', async () => {
  const found = await homeOf('qwen', {
    '.qwen/settings.json': '{\n  "a": 1,\n  oops\n}',
    '.qwen/QWEN.md': 'Hi.',
  });
  expect(found.left[0]?.what).toMatch(/settings\.json:3$/);
  expect(Object.keys(await filesAfter(found))).toEqual(['AGENTS.md']);
  expect(otherHomes(made!.directory)).toEqual(['qwen']);
});
