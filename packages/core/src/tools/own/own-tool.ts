import { resolve } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import {
  effectsOf,
  isEmptyChangeSet,
  type PlannedChanges,
  summarize,
} from '@toolwright/machine/changes/change-set.js';
import { type Asker, BaseTool, type ConfirmationDetails, type OnUpdate, type ToolResult } from '../tools.js';
import type { DefinedTool, ToolContext, ToolDefinition, ToolHost } from './define-tool.js';
import { resultFrom } from './given-result.js';
import type { ReadParameters } from './parameters.js';
import { planFiles } from './planned-files.js';

type OwnParams = Record<string, unknown>;
const SHOWN_ARGUMENTS = 120;

/** The tool that `defineTool` described, on the host that runs it. */
export class OwnTool extends BaseTool<OwnParams, PlannedChanges> {
  readonly timeoutMs: number | undefined;
  readonly isRepeatable: boolean | undefined;
  readonly #definition: ToolDefinition;
  readonly #host: ToolHost;
  readonly #parse: ReadParameters['parse'];
  /** Arguments of each call as the schema's library parsed them. */
  readonly #parsed = new WeakMap<object, OwnParams>();

  constructor({ definition, parameters }: DefinedTool, host: ToolHost) {
    super({
      name: definition.name,
      displayName: definition.displayName ?? definition.name,
      description: definition.description,
      parameterSchema: parameters.jsonSchema,
    });
    this.timeoutMs = definition.timeout;
    this.isRepeatable = definition.isRepeatable;
    this.#definition = definition;
    this.#host = host;
    this.#parse = parameters.parse;
  }

  override getDescription(params: OwnParams): string {
    if (this.#definition.describe) return this.#definition.describe(this.#args(params));
    return describeArguments(this.name, params);
  }

  override async effects(
    params: OwnParams,
    _by?: Asker,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Effect[] | undefined> {
    const workspace = this.#host.workspace.directory;
    const args = await this.#parsedArgs(params);
    const declared = await this.#definition.effects?.(args, { host: this.#host, workspace, signal });
    return Array.isArray(declared) ? declared.map((effect) => fromWorkspace(effect, workspace)) : declared;
  }

  protected override problem(params: OwnParams): string | null {
    const parsed = this.#parse?.(params);
    if (parsed && !(parsed instanceof Promise)) {
      if (!parsed.ok) return parsed.problem;
      this.#parsed.set(params, parsed.args as OwnParams);
    }
    return this.#definition.problem?.(this.#args(params)) ?? null;
  }

  protected override async confirmation(
    params: OwnParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ConfirmationDetails | false> {
    const args = await this.#parsedArgs(params);
    const asked = await this.#definition.confirm?.(args, this.#context(signal, onUpdate));
    if (asked || !this.#definition.changes) return asked ?? false;
    const { changeSet, diff } = await this.plan(params, signal);
    return { kind: 'edit', title: this.getDescription(params), diff, effects: effectsOf(changeSet) };
  }

  protected override async makePlan(params: OwnParams, signal: AbortSignal): Promise<PlannedChanges> {
    const args = await this.#parsedArgs(params);
    const files = (await this.#definition.changes?.(args, this.#context(signal))) ?? [];
    return planFiles(this.#host, files, signal);
  }

  protected override async run(
    params: OwnParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const committed = this.#definition.changes ? await this.#commit(params, signal) : null;
    if (!this.#definition.run) return committed as ToolResult;
    const args = await this.#parsedArgs(params);
    const given = await this.#definition.run(args, this.#context(signal, onUpdate));
    signal.throwIfAborted();
    const result = resultFrom(given, this.name);
    return committed?.changeSet ? { ...result, changeSet: committed.changeSet } : result;
  }

  async #commit(params: OwnParams, signal: AbortSignal): Promise<ToolResult> {
    const planned = await this.plan(params, signal);
    if (isEmptyChangeSet(planned.changeSet))
      return { llmContent: 'No changes were needed.', returnDisplay: 'No changes were needed.' };
    const changeSet = await this.#host.commit(planned, signal);
    const paths = planned.diff.files.map(({ path }) => path).join(', ');
    return {
      llmContent: `Done: ${summarize(planned.changeSet)} (${paths}).`,
      returnDisplay: planned.diff,
      changeSet,
    };
  }

  #args(params: OwnParams): OwnParams {
    return this.#parsed.get(params) ?? params;
  }

  /** Some libraries check asynchronously: their verdict is awaited before anything of the tool runs. */
  async #parsedArgs(params: OwnParams): Promise<OwnParams> {
    if (!this.#parse || this.#parsed.has(params)) return this.#args(params);
    const parsed = await this.#parse(params);
    if (!parsed.ok) throw new ToolError('invalid_params', parsed.problem);
    this.#parsed.set(params, parsed.args as OwnParams);
    return parsed.args as OwnParams;
  }

  #context(signal: AbortSignal, onUpdate?: OnUpdate): ToolContext {
    return {
      signal,
      update: (text) => onUpdate?.(text),
      workspace: this.#host.workspace.directory,
      host: this.#host,
    };
  }
}

/** The description of a call whose tool has no words of its own. */
export function describeArguments(name: string, params: object): string {
  const text = JSON.stringify(params);
  return `${name} ${text.length > SHOWN_ARGUMENTS ? `${text.slice(0, SHOWN_ARGUMENTS)}…` : text}`;
}

function fromWorkspace(effect: Effect, workspace: string): Effect {
  return effect && 'path' in effect && typeof effect.path === 'string'
    ? { ...effect, path: resolve(workspace, effect.path) }
    : effect;
}
