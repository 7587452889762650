import type { Agent, ApprovalMode, Part, State, Toolbox } from '@toolwright/core';
import type { MachineView } from '../wire/wire.js';
import type { FleetDoor } from './fleet/fleet-door.js';

/** The needs of the page: opened by the program that serves it, with its flags, settings and rules. */
export interface WebNeeds {
  /** Absolute. */
  workspace: string;
  state: State;
  /** The tools as in a session, for looking at rules, changes and servers; nothing is called. */
  openToolbox(options: OpenToolboxOptions): Promise<Toolbox>;
  /** A conversation of the page; `confirm` never answers by itself. */
  openAgent(options: OpenAgentOptions): Promise<WebAgent>;
  /** The prompt with what its command or skill stands for, and with the files it names by `@path`. */
  expandPrompt(text: string, agent: Agent, signal: AbortSignal): Promise<ExpandedPrompt>;
  examine(): Promise<NonNullable<MachineView['doctor']>>;
  readServers(signal: AbortSignal): Promise<NonNullable<MachineView['servers']>>;
  readMemory(signal: AbortSignal): Promise<NonNullable<MachineView['memory']>>;
  /** The fleet whose board is shown; null as long as there is none. */
  openFleet(): Promise<FleetDoor | null>;
  /** Writes a bug into the log; gives a sentence for the user. */
  report(error: unknown): Promise<string>;
}

/** An agent with a way to show a sentence to everybody who looks at its session. */
export type WebAgent = Agent & { tell(message: string): void };

/** A prompt as the model gets it, with sentences for the user, or why it is not sent. */
export type ExpandedPrompt = { parts: Part[]; notes: string[] } | { problem: string };

/** The options of a toolbox that the page opens. */
export interface OpenToolboxOptions {
  /** Changes will be made: undo, or the review of work apart. */
  changes?: boolean;
  /** More folders of the session apart that is reviewed. */
  include?: readonly string[];
}

/** The options of a conversation that the page opens. */
export interface OpenAgentOptions {
  resume?: string | undefined;
  mode?: ApprovalMode | undefined;
  apart?: boolean | undefined;
  /** Called when the user is asked something. */
  onQuestion(): void;
}
