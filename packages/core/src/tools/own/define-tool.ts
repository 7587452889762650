import { type PartListUnion, textOf, toParts } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isJsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
import {
  effectsOf,
  isEmptyChangeSet,
  type PlannedChanges,
  summarize,
} from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { BaseTool, type ConfirmationDetails, type OnUpdate, type Tool, type ToolResult } from '../tools.js';
import { type FileContentChange, planFiles } from './planned-files.js';

/** What a tool of one's own stands on: a class gets it in its constructor, a defined tool in its context. */
export interface ToolHost extends Host {
  /** Carries out a planned change, so that it can be undone; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
}

/** What a defined tool works with. */
export interface ToolContext {
  /** Aborted when the call is cancelled or its time is over: stop then. */
  signal: AbortSignal;
  /** Shows the person text while the call runs. */
  update(text: string): void;
  /** Real path of the folder the agent works in. */
  workspace: string;
  host: ToolHost;
}

/** A tool in one object. Members but the first five are optional. */
export interface ToolDefinition<Params extends object = Record<string, unknown>> {
  apiVersion: 1;
  name: string;
  /** For the model: what the tool does, when to use it. */
  description: string;
  /** JSON Schema of the arguments, an object at the top. */
  parameters: JsonSchema;
  /** The answer: text or parts for the model, or a whole result. A tool with `changes` may leave it out. */
  run?(
    params: Params,
    context: ToolContext,
  ): Promise<PartListUnion | ToolResult> | PartListUnion | ToolResult;
  displayName?: string;
  /** What this call will do, for a person. */
  describe?(params: Params): string;
  /** A problem that the schema can't express, or null. */
  problem?(params: Params): string | null;
  /** What the call reads, writes, reaches. Without it that is unknown, and every call is asked about. */
  effects?(params: Params, context: Pick<ToolContext, 'workspace' | 'host'>): Effect[] | Promise<Effect[]>;
  /** What to ask the person before it runs; false when there is nothing to ask. */
  confirm?(params: Params, context: ToolContext): Promise<ConfirmationDetails | false>;
  /** Files as they shall be: shown as a diff, asked about, written all or nothing, and undone by `toolwright undo`. */
  changes?(params: Params, context: ToolContext): Promise<FileContentChange[]>;
}

/** A defined tool, ready for a host. */
export interface DefinedTool {
  (host: ToolHost): Tool;
  readonly apiVersion: 1;
}

/** Makes a tool out of one object; for tool files (`export default defineTool({…})`) and for libraries. */
export function defineTool<Params extends object = Record<string, unknown>>(
  definition: ToolDefinition<Params>,
): DefinedTool {
  const problem = definitionProblem(definition);
  if (problem !== null) throw new TypeError(`defineTool: ${problem}`);
  const make = (host: ToolHost): Tool => new OwnTool(definition as unknown as ToolDefinition, host);
  return Object.assign(make, { apiVersion: 1 as const });
}

/** Null when this is a definition. */
export function definitionProblem(value: object): string | null {
  const { apiVersion, name, description, parameters, run, changes } = value as Partial<ToolDefinition>;
  if (apiVersion !== 1)
    return `apiVersion must be 1, got ${JSON.stringify(apiVersion)}; this Toolwright knows version 1.`;
  if (typeof name !== 'string' || name === '') return 'name is missing.';
  if (typeof description !== 'string') return `${name} has no description.`;
  if (!isJsonObject(parameters)) return `${name}: parameters must be a JSON Schema object.`;
  if ((parameters['type'] ?? 'object') !== 'object')
    return `${name}: parameters must have type: 'object', because arguments have names.`;
  if (typeof run !== 'function' && typeof changes !== 'function') return `${name} needs run or changes.`;
  return null;
}

type Params = Record<string, unknown>;
const SHOWN_ARGUMENTS = 120;

class OwnTool extends BaseTool<Params, PlannedChanges> {
  constructor(
    private readonly definition: ToolDefinition,
    private readonly host: ToolHost,
  ) {
    super({
      name: definition.name,
      displayName: definition.displayName ?? definition.name,
      description: definition.description,
      parameterSchema: definition.parameters,
    });
  }

  override getDescription(params: Params): string {
    if (this.definition.describe) return this.definition.describe(params);
    const text = JSON.stringify(params);
    return `${this.name} ${text.length > SHOWN_ARGUMENTS ? `${text.slice(0, SHOWN_ARGUMENTS)}…` : text}`;
  }

  override effects(params: Params): Effect[] | undefined | Promise<Effect[]> {
    return this.definition.effects?.(params, { host: this.host, workspace: this.host.workspace.directory });
  }

  protected override problem(params: Params): string | null {
    return this.definition.problem?.(params) ?? null;
  }

  protected override async confirmation(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ConfirmationDetails | false> {
    const asked = await this.definition.confirm?.(params, this.#context(signal, onUpdate));
    if (asked || !this.definition.changes) return asked ?? false;
    const { changeSet, diff } = await this.plan(params, signal);
    return { kind: 'edit', title: this.getDescription(params), diff, effects: effectsOf(changeSet) };
  }

  protected override async makePlan(params: Params, signal: AbortSignal): Promise<PlannedChanges> {
    const files = (await this.definition.changes?.(params, this.#context(signal))) ?? [];
    return planFiles(this.host, files, signal);
  }

  protected override async run(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const committed = this.definition.changes ? await this.#commit(params, signal) : null;
    if (!this.definition.run) return committed as ToolResult;
    const given = await this.definition.run(params, this.#context(signal, onUpdate));
    signal.throwIfAborted();
    return { ...asResult(given), ...(committed?.changeSet ? { changeSet: committed.changeSet } : {}) };
  }

  async #commit(params: Params, signal: AbortSignal): Promise<ToolResult> {
    const planned = await this.plan(params, signal);
    if (isEmptyChangeSet(planned.changeSet))
      return { llmContent: 'Nothing had to be changed.', returnDisplay: 'Nothing had to be changed.' };
    const changeSet = await this.host.commit(planned, signal);
    const paths = planned.diff.files.map(({ path }) => path).join(', ');
    return {
      llmContent: `Done: ${summarize(planned.changeSet)} (${paths}).`,
      returnDisplay: planned.diff,
      changeSet,
    };
  }

  #context(signal: AbortSignal, onUpdate?: OnUpdate): ToolContext {
    return {
      signal,
      update: (text) => onUpdate?.(text),
      workspace: this.host.workspace.directory,
      host: this.host,
    };
  }
}

function asResult(given: PartListUnion | ToolResult): ToolResult {
  if (isJsonObject(given) && 'llmContent' in given) return given as unknown as ToolResult;
  const content = given as PartListUnion;
  const attached = toParts(content ?? '').filter((part) => part?.inlineData).length;
  const display = [
    textOf(content ?? ''),
    attached ? `[${attached} attachment${attached > 1 ? 's' : ''}]` : '',
  ];
  return { llmContent: content, returnDisplay: display.filter(Boolean).join('\n') };
}
