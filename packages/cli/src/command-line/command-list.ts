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
    help: 'The tools: list them, show what the model sees, run one without a model, write and check your own.',
  },
  {
    name: 'mcp',
    subcommands: ['list', 'add', 'remove', 'accept', 'doctor', 'serve'],
    usage: 'mcp list|add|remove|accept|doctor|serve NAME',
    help: 'MCP servers: what they are and cost, add, remove, accept, examine one; serve offers these tools to other agents.',
  },
  {
    name: 'sessions',
    subcommands: ['list', 'show', 'export'],
    usage: 'sessions list|show ID|export ID',
    help: 'Earlier conversations of this workspace.',
  },
  {
    name: 'explain',
    usage: "explain 'CALL'",
    help: 'What would be decided about a call or a command line, and by which rule; --session ID, --batch.',
  },
  {
    name: 'permissions',
    subcommands: ['list', 'revoke'],
    usage: 'permissions list|revoke NUMBER',
    help: 'The rules in force here and where they come from; take back an answer that was saved.',
  },
  {
    name: 'undo',
    usage: 'undo [ID]',
    help: "Take back this workspace's latest change, or the one named; --to ID goes back to a point, --list shows them.",
  },
  {
    name: 'memory',
    subcommands: ['show', 'forget'],
    usage: 'memory show|forget FACT',
    help: 'Context files and remembered facts: show what is in effect, forget a fact.',
  },
  { name: 'trust', usage: 'trust [DIR]', help: "Trust a folder's settings; --list, --remove, --show." },
  { name: 'doctor', usage: 'doctor', help: 'What holds on this machine, and what to do about the rest.' },
  { name: 'init', usage: 'init', help: 'Make a settings file and an AGENTS.md to start from.' },
  {
    name: 'completion',
    usage: 'completion SHELL',
    help: 'Completion script for bash, zsh, fish or powershell.',
  },
];
