/** The commands, for the help text and the shell completion; `main.ts` has the same names. */
export interface CommandEntry {
  name: string;
  subcommands?: readonly string[];
  usage: string;
  help: string;
}

export const commandList: readonly CommandEntry[] = [
  {
    name: 'tools',
    subcommands: ['list', 'show', 'run', 'new', 'check'],
    usage: 'tools list|show|run|new|check NAME',
    help: 'List tools, show what the model sees of one, run one without a model, write and check your own.',
  },
  {
    name: 'mcp',
    subcommands: ['list', 'add', 'remove', 'accept', 'doctor', 'serve'],
    usage: 'mcp list|add|remove|accept|doctor|serve NAME',
    help: 'List MCP servers and what they cost; add, remove, accept or examine one; serve offers these tools to other agents.',
  },
  {
    name: 'sessions',
    subcommands: ['list', 'show', 'export'],
    usage: 'sessions list|show ID|export ID',
    help: 'List, show or export earlier conversations in this workspace.',
  },
  {
    name: 'explain',
    usage: "explain 'CALL'",
    help: 'Show what would be decided about a call or a command line, and by which rule; --session ID, --batch.',
  },
  {
    name: 'permissions',
    subcommands: ['list', 'revoke', 'choose'],
    usage: 'permissions list|revoke|choose RULE',
    help: 'List the rules in force here and where they come from; revoke a saved answer; choose rules that an import offers.',
  },
  {
    name: 'try',
    usage: 'try COMMAND…',
    help: 'Run a command on a copy of this folder, show what it changed, then keep all, some or nothing.',
  },
  {
    name: 'apart',
    subcommands: ['list', 'show', 'keep', 'drop', 'open'],
    usage: 'apart list|show|keep|drop|open ID',
    help: 'List the sessions that worked apart; show what one changed, keep or drop it, or continue it.',
  },
  {
    name: 'race',
    usage: 'race "PROMPT" -n 3',
    help: 'Give the same prompt to several sessions apart, check the work of each, then keep one or none.',
  },
  {
    name: 'answer',
    usage: 'answer [ID yes|no REASON]',
    help: 'List the questions that headless runs are waiting on; answer one, and the run continues.',
  },
  {
    name: 'eval',
    usage: 'eval FOLDER -k 3',
    help: 'Give tasks with tests to the agent, each in a folder of its own, and report what passed and what it took.',
  },
  {
    name: 'stats',
    usage: 'stats [--days N]',
    help: 'Show by day, model and tool what sessions cost, how long they took, what was asked, changed and undone.',
  },
  {
    name: 'replay',
    usage: 'replay FILE|ID',
    help: 'Run a recorded or saved session again, apart, and tell what a tool, a rule or a model does differently now.',
  },
  {
    name: 'fleet',
    subcommands: [
      'run',
      'worker',
      'submit',
      'status',
      'watch',
      'show',
      'logs',
      'cancel',
      'retry',
      'questions',
      'answer',
      'collect',
    ],
    usage: 'fleet run|worker|submit|status TASKS',
    help: 'Work through many tasks, each apart, here or on many machines; answer their questions and collect their changes.',
  },
  {
    name: 'acp',
    usage: 'acp',
    help: 'Run as the agent of an editor, over the Agent Client Protocol.',
  },
  {
    name: 'web',
    usage: 'web [--port N]',
    help: 'Serve a page on this machine: running and earlier sessions, questions, changes, rules, tools.',
  },
  {
    name: 'undo',
    usage: 'undo [ID]',
    help: "Undo this workspace's latest change, or the one named; --to ID goes back to a point, --list shows them.",
  },
  {
    name: 'memory',
    subcommands: ['show', 'forget'],
    usage: 'memory show|forget FACT',
    help: 'Show the context files and remembered facts in effect; forget a fact.',
  },
  {
    name: 'skills',
    subcommands: ['list', 'check', 'new'],
    usage: 'skills list|check|new NAME',
    help: 'List the skills in effect here, check one or all of them, write a new one.',
  },
  {
    name: 'hooks',
    subcommands: ['list', 'try'],
    usage: 'hooks list|check|try EVENT',
    help: 'List or check the hooks in effect here; run those of an event with a sample and show what they would do.',
  },
  {
    name: 'extensions',
    subcommands: ['install', 'list', 'show', 'enable', 'disable', 'update', 'remove', 'new', 'check'],
    usage: 'extensions install|list|show|update|… NAME',
    help: 'Install extensions of any agent after a look at all they bring; list, update, remove, write and check them.',
  },
  {
    name: 'import',
    usage: 'import [claude|qwen|gemini|codex]',
    help: 'Show what can be imported from the agents you used before, then import it.',
  },
  { name: 'trust', usage: 'trust [DIR]', help: "Trust a folder's settings; --list, --remove, --show." },
  { name: 'doctor', usage: 'doctor', help: 'Check what works on this machine, and say how to fix the rest.' },
  { name: 'init', usage: 'init', help: 'Create a settings file and an AGENTS.md to start from.' },
  {
    name: 'completion',
    usage: 'completion SHELL',
    help: 'Print a completion script for bash, zsh, fish or powershell.',
  },
];
