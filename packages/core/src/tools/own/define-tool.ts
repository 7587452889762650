import type { Effect } from '@toolwright/machine/base/effect.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { ConfirmationDetails } from '../tools.js';
import { definitionProblem } from './definition-problem.js';
import type { GivenResult } from './given-result.js';
import { type ArgumentsOf, type ReadParameters, readParameters, type ToolParameters } from './parameters.js';
import type { FileContentChange } from './planned-files.js';

/** The host as the user's own tools see it: a class gets it in its constructor, a defined tool in its context. */
export interface ToolHost extends Host {
  /** Carries out a planned change, so that it can be undone; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
}

/** Second argument of a defined tool's functions. */
export interface ToolContext {
  /** Aborted when the call is cancelled or its time is over: stop then. */
  signal: AbortSignal;
  /** Shows the user text while the call runs. */
  update(text: string): void;
  /** Real path of the folder the agent works in. */
  workspace: string;
  host: ToolHost;
}

/** A tool in one object. Members but the first five are optional. */
export interface ToolDefinition<Params extends object = Record<string, unknown>, Schema = ToolParameters> {
  apiVersion: 1;
  name: string;
  /** For the model: what the tool does, when to use it. */
  description: string;
  /** The arguments, an object at the top: JSON Schema, or a schema of zod 4 or of another Standard Schema library. */
  parameters: Schema;
  /** The answer: text or parts for the model, a plain object, or a whole result. A tool with `changes` may leave it out. */
  run?(params: Params, context: ToolContext): Promise<GivenResult> | GivenResult;
  displayName?: string;
  /** Milliseconds after which a call is stopped. */
  timeout?: number;
  /** True if a second call with the same arguments changes nothing more: one that was interrupted may be run again. */
  isRepeatable?: boolean;
  /** Gives a line about this call for the user. */
  describe?(params: Params): string;
  /** A problem that the schema can't express, or null. */
  problem?(params: Params): string | null;
  /** Things the call reads, writes or reaches; relative paths start at the workspace. Without it every call is asked about. */
  effects?(
    params: Params,
    context: Pick<ToolContext, 'workspace' | 'host' | 'signal'>,
  ): Effect[] | Promise<Effect[]>;
  /** Details of the question to ask before the call runs; false when there is nothing to ask. */
  confirm?(params: Params, context: ToolContext): Promise<ConfirmationDetails | false>;
  /** Files as they shall be: shown as a diff, asked about, written all or nothing, and undone by `toolwright undo`. */
  changes?(params: Params, context: ToolContext): Promise<FileContentChange[]>;
}

/** A checked definition. A toolbox, an agent, a tool file and the MCP server take it where they take a tool. */
export interface DefinedTool {
  readonly apiVersion: 1;
  readonly definition: ToolDefinition;
  readonly parameters: ReadParameters;
}

/** The type the author wrote as `defineTool<Params>`, else the one the schema describes. */
type ParamsFor<Params, Schema> = [Params] extends [never] ? ArgumentsOf<Schema> : Params & object;

/** Makes a tool out of one object. The arguments have the type that `parameters` describe, or the one that is named. */
export function defineTool<
  Params extends object = never,
  const Schema extends ToolParameters = ToolParameters,
>(definition: ToolDefinition<ParamsFor<Params, Schema>, Schema>): DefinedTool {
  const problem = definitionProblem(definition);
  if (problem !== null) throw new TypeError(`defineTool: ${problem}`);
  return {
    apiVersion: 1,
    definition: definition as unknown as ToolDefinition,
    parameters: readParameters(definition.parameters),
  };
}
