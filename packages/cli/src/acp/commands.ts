import type { AvailableCommand, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Agent, Part } from '@toolwright/core';
import { createIds } from '@toolwright/core/front-end';
import type { ReportItem } from '../actions/report.js';
import type { LineMeaning } from '../app/line-meaning.js';
import { sharesText } from '../app/shares.js';
import { UsageError } from '../base/exit-codes.js';
import { quitNames, runSlash, slashCommands, slashNames } from '../conversation/slash-commands.js';
import type { SlashContext, SlashFront } from '../conversation/slash-context.js';
import type { Editor } from './ask.js';
import { pickInEditor } from './pick.js';
import { escaped, fenced } from './updates/markdown.js';
import { drawDiff } from './updates/tool-call.js';

export interface CommandVoice {
  say(markdown: string): void;
  editor: Editor;
}

type TypedCommand = Extract<LineMeaning, { kind: 'slash' | 'server-prompt' }> & { text: string };

/** Commands about the terminal, and those that begin another session, which is for the editor to do. */
const forTerminal: ReadonlySet<string> = new Set([
  ...quitNames,
  ...['add-dir', 'clear', 'connect', 'copy', 'resume', 'rewind', 'settings', 'tour'],
]);

const editorCommands = slashCommands.filter(({ name }) => !forTerminal.has(name));

/** The commands that an editor offers: those of the program, then those of the user and the project, and skills. */
export async function commandsHere(agent: Agent | null): Promise<AvailableCommand[]> {
  const own = editorCommands.map(({ name, usage, help }) =>
    commandOf(name, help, usage.replace(/^\/\S+\s*/, '')),
  );
  if (!agent) return own;
  const { findCustomNames } = await import('../conversation/custom-commands.js');
  const custom = await findCustomNames(agent, slashNames).catch(() => []);
  return [...own, ...custom.map(({ name, help, hint }) => commandOf(name, help, hint))];
}

function commandOf(name: string, description: string, hint: string): AvailableCommand {
  return { name, description, input: hint === '' ? undefined : { hint } };
}

export type CommandContext = Omit<SlashContext, 'front' | 'prompt' | 'reopen'>;

/** Performs a slash command. One that is a prompt gives parts for the model; every other is done when this returns null. */
export async function performCommand(
  command: TypedCommand,
  context: CommandContext,
  voice: CommandVoice,
): Promise<Part[] | null> {
  const custom = await customParts(command, context, voice);
  if (custom !== undefined) return custom;
  if (command.kind === 'server-prompt') {
    const { expandServerPrompt } = await import('../conversation/servers/prompts.js');
    return partsOf(await expandServerPrompt(command, context.agent.mcp, context.signal), voice);
  }
  if (forTerminal.has(command.name)) {
    voice.say(`/${command.name} is for the terminal. Here the editor begins, resumes and closes sessions.`);
    return null;
  }
  let parts: Part[] | null = null;
  const all: SlashContext = {
    ...context,
    front: frontOf(voice),
    async prompt(text) {
      parts = [{ text }];
    },
    reopen() {
      throw new UsageError('Start a new session in the editor for that.');
    },
  };
  for (const item of await runSlash(command.name, command.rest, all)) report(item, voice);
  return parts;
}

type Expanded = { parts: Part[]; notes: string[] } | { problem: string };

function partsOf(expanded: Expanded, { say }: CommandVoice): Part[] | null {
  if ('problem' in expanded) say(escaped(expanded.problem));
  else for (const note of expanded.notes) say(`${escaped(note)}\n\n`);
  return 'parts' in expanded ? expanded.parts : null;
}

/** Undefined where no command of the user or of the project has this name. */
async function customParts(
  { text }: TypedCommand,
  { agent, signal }: CommandContext,
  voice: CommandVoice,
): Promise<Part[] | null | undefined> {
  if (agent.mcp?.servers.some(({ config }) => text.startsWith(`/${config.alias}:`))) return undefined;
  const { expandCustom } = await import('../conversation/custom-commands.js');
  const expanded = await expandCustom(text, slashNames, { toolbox: agent, signal });
  return expanded ? partsOf(expanded, voice) : undefined;
}

function frontOf({ say, editor }: CommandVoice): SlashFront {
  return {
    isLinear: true,
    send: () => false,
    theme: 'auto',
    useTheme: () => undefined,
    pick: pickInEditor(editor),
    dispatch(event) {
      if (event.type === 'block-added' && event.block.kind === 'text')
        say(`${escaped(event.block.text)}\n\n`);
    },
  };
}

function report(item: ReportItem, { say, editor: { outbox, absolute } }: CommandVoice): void {
  if (item.kind !== 'diff') {
    const text = item.kind === 'shares' ? sharesText(item.shares) : item.text;
    // Tables and lists of ours are laid out for a fixed width.
    say(`${text.includes('\n') ? fenced(text, 'block') : escaped(text)}\n\n`);
    return;
  }
  const toolCallId = `report-${createIds().next()}`;
  const drawn = drawDiff(item.diff, absolute);
  const shown: SessionUpdate = {
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Changes',
    kind: 'edit',
    status: 'completed',
    ...drawn,
  };
  outbox.send(shown);
}
