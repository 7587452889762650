import type { Agent, Message } from '@toolwright/core';
import type { ReportItem } from '../actions/report.js';
import type { Ask } from '../app/question.js';
import type { Arguments } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';
import type { Front } from '../ui/front.js';

/** Everything a slash command may use. */
export interface SlashContext {
  agent: Agent;
  setup: Setup;
  signal: AbortSignal;
  ask: Ask;
  front: SlashFront;
  /** The command line of this run, with what was chosen since. */
  args: Arguments;
  /** Goes to the model with the next prompt. */
  tellModel(text: string): void;
  /** Sends a prompt to the model as if the user had typed it. */
  prompt(text: string): Promise<void>;
  /** Ends this session once the command is done, and goes on with another one. */
  reopen(next: NextSession): void;
}

/** The parts of a front end that commands use. */
export type SlashFront = Pick<Front, 'pick' | 'dispatch' | 'isLinear' | 'send' | 'theme' | 'useTheme'>;

/** The session that a conversation goes on with. */
export interface NextSession {
  /** The one there is, a new one, or the id of an earlier one. */
  session: 'same' | 'new' | { id: string };
  /** Messages that a new one begins with. */
  startWith?: readonly Message[];
  /** The command line to use in place of this one. */
  args?: Arguments;
}

export interface SlashCommand {
  usage: string;
  help: string;
  run(context: SlashContext, rest: string): Promise<ReportItem[]> | ReportItem[];
}
