import { createTempWorkspace } from '@toolwright/core/testing';
import { afterAll, expect, it } from 'vitest';
import { describeImport } from './describe-import.js';
import type { OtherAgent } from './findings.js';
import { readHome } from './plan-import.js';

/** Everything that an import knows, in a home of each agent. */
const homes: Record<OtherAgent, Record<string, string | object>> = {
  claude: {
    '.claude/CLAUDE.md': 'Use tabs. See @style.md.',
    '.claude/style.md': 'Short names.',
    '.claude/settings.json': {
      permissions: {
        allow: ['Bash(git log:*)', 'Bash'],
        ask: ['Bash(git push:*)'],
        deny: ['Read(./.env)'],
        defaultMode: 'plan',
      },
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'no-force' }] }] },
      outputStyle: 'short',
    },
    '.claude.json': {
      mcpServers: {
        issues: {
          type: 'http',
          url: 'https://issues.example.com/mcp',
          headers: { Authorization: 'Bearer aaaabbbbcccc1' },
          headersHelper: 'make-headers',
        },
        old: { command: 'old', disabled: true },
      },
      projects: { '/work': { mcpServers: { db: { command: 'db' } } } },
    },
    '.claude/skills/tides/SKILL.md': '---\ndescription: Reads tables.\n---\nDo it.\n',
  },
  qwen: {
    '.qwen/QWEN.md': 'Answer in German.',
    '.qwen/settings.json': {
      mcpServers: { db: { command: 'db', env: { DB_TOKEN: 'aaaabbbbcccc2' }, trust: true } },
      permissions: { deny: ['Bash(rm:*)'] },
      tools: { approvalMode: 'yolo' },
    },
    '.qwen/commands/look.md': 'Look.',
  },
  gemini: {
    '.gemini/GEMINI.md': 'Be brief.',
    '.gemini/settings.json': {
      model: { name: 'gemini-x' },
      context: { fileName: ['TEAM.md', 'GEMINI.md'] },
      mcpServers: {
        sea: {
          httpUrl: 'https://sea.example.com/mcp',
          oauth: { enabled: true, clientId: 'me', audience: 'x' },
        },
      },
      tools: { exclude: ['web_fetch'] },
      general: { vimMode: true },
    },
    '.gemini/policies/mine.toml':
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\n',
    '.gemini/skills/knots/SKILL.md': '---\ndescription: Ties.\n---\nTie.\n',
  },
  codex: {
    '.codex/AGENTS.md': 'Run the tests.',
    '.codex/config.toml':
      'model = "gpt-x"\napproval_policy = "never"\nproject_doc_fallback_filenames = ["TEAM.md"]\n[mcp_servers.docs]\ncommand = "docs"\nenv_vars = ["DOCS_KEY"]\nstartup_timeout_sec = 20\n',
    '.codex/rules/a.rules':
      'prefix_rule(pattern=["rm", "-rf"], decision="forbidden")\nhost_rule(host="example.com", decision="deny")\n',
    '.codex/prompts/review.md': 'Review $1.',
  },
};

const plans: string[] = [];
afterAll(() => console.log(`evidence: the plans of four imports\n${plans.join('\n')}`));

it.each<[OtherAgent, readonly string[], readonly string[]]>([
  [
    'claude',
    ['the MCP server issues', 'ask Shell(git push)', 'deny Read(.env)', 'the hook of PreToolUse: no-force'],
    [
      'headersHelper of the server issues: no program makes headers here',
      'the MCP server old: it is turned off',
      'outputStyle',
    ],
  ],
  [
    'qwen',
    ['the MCP server db', 'deny Shell(rm)'],
    ['trust of the server db: its tools are asked about until you say otherwise', 'the mode yolo'],
  ],
  [
    'gemini',
    [
      'context.fileName = ["AGENTS.md","TEAM.md"]',
      'the MCP server sea',
      'deny Shell(git push)',
      'ui.vim = true',
    ],
    ['oauth.audience of the server sea: sign in anew when the server asks for it', 'model gemini-x'],
  ],
  [
    'codex',
    ['context.fileName = ["AGENTS.md","TEAM.md"]', 'the MCP server docs', 'deny Shell(rm -rf)'],
    [
      'startup_timeout_sec of the server docs: how long a server may take to start is no setting here',
      'a.rules:2: host_rule(host="example.com", decision="deny")',
      'approval_policy never',
    ],
  ],
])(
  'the plan of an import from %s names what comes over and all that does not',
  async (agent, carried, left) => {
    const content = Object.fromEntries(
      Object.entries(homes[agent]).map(([path, value]) => [
        path,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    const made = createTempWorkspace({ content });
    const found = await readHome(agent, {
      home: made.directory,
      environment: {},
      signal: new AbortController().signal,
    });
    const plan = describeImport(found).replaceAll(made.directory, '~');
    plans.push(plan);
    const [over = '', not = ''] = plan.split('Not imported:');
    for (const line of carried) expect(over).toContain(line);
    for (const line of left) expect(not).toContain(line);
    expect(plan).not.toContain('aaaabbbb');
    await made.cleanup();
  },
);
