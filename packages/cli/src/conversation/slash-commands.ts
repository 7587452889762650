import { didYouMean, nearest, todoIn, todoText } from '@toolwright/core/front-end';
import { type Prefix, type ReportItem, textItem } from '../actions/report.js';
import { UsageError } from '../base/exit-codes.js';
import { furtherCommands } from './commands/table.js';
import type { SlashCommand, SlashContext } from './slash-context.js';

const commands: Record<string, SlashCommand> = {
  help: {
    usage: '/help [WORDS]',
    help: 'search what can be typed here',
    async run(context, rest) {
      const { describeCustom } = await import('./custom-commands.js');
      const { help } = await import('./commands/help.js');
      const own = await describeCustom(context.agent, slashNames);
      return help(context, rest, [...helpRows(), ...own]);
    },
  },
  ...furtherCommands,
  tools: {
    usage: '/tools [refresh]',
    help: 'list the tools the model can call; refresh looks for new ones',
    async run({ agent, signal }, rest) {
      const isRefresh = rest.trim() === 'refresh';
      const problems = isRefresh ? ((await agent.ownTools?.refresh(signal, true)) ?? []) : [];
      const { describeTools } = await import('../actions/describe-tools.js');
      const tools = describeTools(agent.registry.all())
        .map((line) => `  ${line}`)
        .join('\n');
      return [
        ...problems.map((problem) => textItem(problem, 'warning')),
        textItem(tools || 'There are no tools.'),
      ];
    },
  },
  permissions: {
    usage: '/permissions',
    help: 'list the rules in force and your remembered answers; /permissions revoke NUMBER revokes one',
    run: permissionsHere,
  },
  apart: {
    usage: '/apart',
    help: 'work apart from here on, and review the changes once at the end',
    async run(context) {
      return (await import('./apart.js')).beginApart(context);
    },
  },
  review: {
    usage: '/review',
    help: 'look at what a conversation apart has changed; keep all of it, a part, or drop it',
    async run(context) {
      const leave = 'keep working: the changes stay apart';
      return (await import('./apart.js')).reviewHere({ ...context, leave, prefix: '/' });
    },
  },
  undo: {
    usage: '/undo [last|ID]',
    help: 'choose a change to undo, with its diff; last undoes the latest, list shows them',
    run: undoHere,
  },
  jobs: {
    usage: '/jobs [ACTION ID]',
    help: 'list background commands; the action is output, stop, or input with a text',
    async run({ agent }, rest) {
      const { jobs } = await import('./jobs.js');
      return jobs(agent.commands.shell.jobs, rest);
    },
  },
  memory: {
    usage: '/memory [forget WORDS]',
    help: 'show what the model is told before it starts, and the remembered facts',
    run: memoryHere,
  },
  skills: {
    usage: '/skills',
    help: 'list the skills that the model can load, and what is wrong with the others',
    async run({ agent, signal }) {
      const { describeSkills } = await import('../actions/describe-skills.js');
      return [textItem(await describeSkills(agent.pieces.skills, signal))];
    },
  },
  agents: {
    usage: '/agents',
    help: 'list the subagents that the model can give work to',
    async run({ agent }) {
      const { describeAgents } = await import('../actions/describe-agents.js');
      return [textItem(describeAgents(await agent.pieces.findAgents()))];
    },
  },
  hooks: {
    usage: '/hooks',
    help: 'list the hooks that are asked before calls or told of other events',
    async run({ agent }) {
      const { describeHooks } = await import('../actions/describe-hooks.js');
      return [textItem(describeHooks(agent.pieces.hooks?.hooks ?? []))];
    },
  },
  todo: {
    usage: '/todo',
    help: 'show the list that the model keeps of its work',
    async run({ agent }) {
      const items = todoIn(agent.messages);
      return [textItem(items.length === 0 ? 'The model has made no list.' : todoText(items))];
    },
  },
  extensions: {
    usage: '/extensions',
    help: 'list the extensions that are installed',
    async run({ agent, setup, signal }) {
      const { describeExtensions, findExtensions } = await import('../actions/describe-extensions.js');
      return [textItem(describeExtensions(await findExtensions(setup.extensions, agent.state, signal)))];
    },
  },
  mcp: {
    usage: '/mcp [NAME]',
    help: 'list the MCP servers, or what one offers; /mcp accept NAME turns its new tools on',
    async run({ agent, signal, ask }, rest) {
      const { mcp } = await import('./servers/commands.js');
      return mcp(rest, { catalogue: agent.mcp, ask, signal });
    },
  },
  stats: {
    usage: '/stats',
    help: 'show what this conversation has used',
    run: async (context) => (await import('./commands/usage.js')).stats(context),
  },
};

/** The commands as a list to choose from. */
export const slashCommands: readonly { name: string; usage: string; help: string }[] = Object.entries(
  commands,
).map(([name, { usage, help }]) => ({ name, usage, help }));

export const slashNames: readonly string[] = Object.keys(commands);

/** The commands for the menu under the line. */
export function commandNames(): { name: string; help: string; takesWords: boolean }[] {
  const named = Object.entries(commands).map(([name, { usage, help }]) => ({
    name,
    help,
    takesWords: usage.includes(' '),
  }));
  return [...named, { name: 'quit', help: 'end the conversation', takesWords: false }];
}

/** `/quit` is for whoever runs the conversation. */
export const quitNames: readonly string[] = ['quit', 'exit', 'q'];

/** Runs a slash command; a mistake in it becomes a warning. */
export async function runSlash(name: string, rest: string, context: SlashContext): Promise<ReportItem[]> {
  const command = Object.hasOwn(commands, name)
    ? commands[name]
    : name === '?'
      ? commands['help']
      : undefined;
  if (command) {
    try {
      return await command.run(context, rest);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [textItem(error.message, 'warning')];
    }
  }
  const near = nearest(name, [...Object.keys(commands), 'quit'], 1).map((each) => `/${each}`);
  const sentences = [`There is no /${name}.`, didYouMean(near), '/help lists the commands.'];
  return [textItem(sentences.filter(Boolean).join(' '), 'warning')];
}

function helpRows(): [string, string][] {
  return [
    ...Object.values(commands).map(({ usage, help }): [string, string] => [usage, help]),
    ['/quit', 'end the conversation; Ctrl+D does the same'],
    ['/server:prompt', 'use a prompt that an MCP server offers; its arguments follow'],
    ['@path', 'give the model a file, a folder or a pattern: what does @src/a.ts do?'],
    ['@server:uri', 'give the model a resource of an MCP server'],
    ['!command', 'run a command yourself; the model sees the output with your next prompt'],
    ['Enter', 'send; Alt+Enter, Ctrl+J or a backslash before Enter starts a new line'],
    ['#fact', 'remember a fact, for this project or for all of yours'],
    ['Tab', "complete a command, a server's prompt or its arguments, or a path after @"],
    ['Up, Down', 'go through earlier prompts'],
    ['Ctrl+R', 'search earlier prompts'],
    ['Ctrl+G', 'write the prompt in your editor'],
    ['Ctrl+V', 'paste an image from the clipboard; a dropped file works too'],
    ['Ctrl+_', 'undo in the line; Ctrl+Y brings back what was erased, Alt+Y what was erased before'],
    ['Shift+Tab', 'the next approval mode: plan, default, auto-edit, yolo'],
    ['Ctrl+O', 'show a folded call whole; again for the one before it'],
    ['Esc, Ctrl+C', 'cancel what is running; Ctrl+C twice at an empty prompt quits'],
  ];
}

const prefix: Prefix = '/';

/** `/undo`, `/undo last`, `/undo ID`, `/undo list`. */
async function undoHere(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const { agent, signal, tellModel } = context;
  const { changesHere, undo } = await import('../actions/undo.js');
  const { describeChanges } = await import('../actions/undo-list.js');
  if (/^(?:--)?list$/.test(rest))
    return [textItem(describeChanges(await changesHere(agent, signal), agent.host.workspace.show))];
  const { undoPicker } = await import('./commands/undo.js');
  const { report, paths } =
    rest === ''
      ? await undoPicker(context)
      : await undo(agent, rest === 'last' ? '' : rest, { prefix, signal });
  if (paths.length > 0)
    tellModel(
      `The user has undone an earlier change; these files are as they were before it: ${paths.join(', ')}.`,
    );
  return report;
}

/** `/memory`, `/memory forget WORDS`. */
async function memoryHere({ agent, setup, signal }: SlashContext, rest: string): Promise<ReportItem[]> {
  const wanted = /^forget\s+(\S.*)$/s.exec(rest)?.[1];
  if (wanted !== undefined) {
    const { forgetFact } = await import('../actions/memory.js');
    return forgetFact(agent, setup, { wanted, prefix, signal });
  }
  if (rest !== '' && rest !== 'show') return [textItem('Type /memory or /memory forget WORDS.', 'warning')];
  const { describeMemory, viewMemory } = await import('../actions/describe-memory.js');
  return [textItem(describeMemory(await viewMemory(agent, setup, signal), prefix))];
}

/** `/permissions`, `/permissions revoke NUMBER`. */
async function permissionsHere({ agent, signal }: SlashContext, rest: string): Promise<ReportItem[]> {
  const { describeRules, revokeAnswer } = await import('../actions/permissions.js');
  const wanted = /^revoke\s+(\S.*)$/s.exec(rest)?.[1];
  if (wanted !== undefined) {
    const { rule } = await revokeAnswer(agent, wanted, { prefix, signal });
    return [textItem(`Revoked: ${rule}. You will be asked again.`, 'good')];
  }
  return rest === '' || rest === 'list'
    ? [textItem(describeRules(agent, prefix))]
    : [textItem('Type /permissions or /permissions revoke NUMBER.', 'warning')];
}
