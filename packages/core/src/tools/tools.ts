import type { FileDiff, PartListUnion } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import {
  abortReason,
  describeAbort,
  isToolError,
  ToolError,
  type ToolErrorCode,
} from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
import { checkParams, type ParameterAliases } from '@toolwright/machine/base/json-schema/json-schema.js';
import type { Caller } from './caller/caller.js';
import type { Display } from './display/display.js';
import { messageForUser } from './display/message-for-user.js';

/** The result of a tool: content for the model, a display for the user. */
export interface ToolResult {
  llmContent: PartListUnion;
  returnDisplay: Display;
  error?: { code: ToolErrorCode; message: string };
  /** The end of a command that ran to its end: its exit code, or the signal that ended it. */
  exitStatus?: number | string;
  /** Lines of a display that is text, before it was cut to size. */
  displayLines?: number;
  /** Id of the change set this call committed, so that it can be undone. */
  changeSet?: string;
  /** Ids of change sets that calls of this one have committed, where it committed none itself. */
  innerChangeSets?: readonly string[];
  /** The result as data, for clients that take it beside the text. */
  structuredContent?: JsonObject;
  /** The value that a script gets in place of the text. */
  forScript?: ScriptValue;
  /** A hook ended the run with work that was done for this call: why. */
  stopped?: string | undefined;
}

/** A result as a script wants it: a list is a list, and no notice stands in a text. */
export interface ScriptValue {
  /** Plain JSON. */
  value: unknown;
  /** Why this is not all there is, and how to get the rest: a script must not take a part for the whole. */
  incomplete?: string | undefined;
}

/** A call that a running call makes. */
export interface InnerCall {
  tool: string;
  /** The params as JSON, or as an object. */
  params: string | Record<string, unknown>;
}

/** A call that a running call has made, with its result. */
export interface InnerResult extends Pick<ToolResult, 'llmContent' | 'error' | 'forScript' | 'changeSet'> {
  tool: string;
  description: string;
}

/**
 * Carries out calls for a call that is under way, as one batch: each is checked, decided, asked about and journalled like a call of
 * the model. `started` hears the description of each when it begins.
 */
export type MakeInnerCalls = (
  calls: readonly InnerCall[],
  doing: { signal: AbortSignal; started?(description: string): void },
) => Promise<InnerResult[]>;

/**
 * The details of a question. Plain data: it crosses processes and is kept in the journal. The question is headed by the
 * title of an edit, and by the tool's `getDescription` for every other kind.
 */
export type ConfirmationDetails =
  | {
      kind: 'edit';
      title: string;
      diff: FileDiff;
      effects: Effect[];
      /** Sentences about what the user should look at twice. */
      warnings?: string[];
      modifiable?: { path: string; content: string };
      /** A hook ended the run with the work that these changes come from: why. Believed of built-in tools alone. */
      stopped?: string | undefined;
    }
  | {
      kind: 'exec';
      title?: string;
      command: string;
      directory: string;
      effects: Effect[];
      /** The confinement in words for the user: "confined by bubblewrap 0.8.0". */
      confinement?: string;
      /** Output, changes and warnings of a staged run. */
      output?: string;
      summary?: string;
      /** Folders that it would delete, as they are shown; the diff has files alone. */
      deletedFolders?: string[];
      warnings?: string[];
      diff?: FileDiff;
      modifiable?: { command: string };
    }
  | {
      kind: 'mcp';
      title?: string;
      server: string;
      tool: string;
      arguments: Record<string, unknown>;
      effects: Effect[];
    }
  | {
      kind: 'info';
      title?: string;
      prompt: string;
      urls: string[];
      effects: Effect[];
    };

/** Origin of a call. The program that runs the scheduler states it; a model can't. */
export type Asker = 'model' | 'user' | 'agent';

/** Live output of a running call: text to append to what was shown before. */
export type OnUpdate = (delta: string) => void;

/** The contract of every tool, whoever wrote it. */
export interface Tool<Params extends object = object> {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly parameterSchema: JsonSchema;
  /** A problem as text, or null. */
  validateToolParams(params: Params): string | null;
  /** Describes the call to the user before it runs. */
  getDescription(params: Params): string;
  /**
   * Details when the call changes or reaches something, else false. May stage a command: then it reports live. `inner` makes
   * further calls, where a scheduler runs this one.
   */
  shouldConfirmExecute(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
    inner?: MakeInnerCalls,
  ): Promise<ConfirmationDetails | false>;
  /** `caller` is the program that sent the call, where it can be asked something meanwhile. */
  execute(params: Params, signal: AbortSignal, onUpdate?: OnUpdate, caller?: Caller): Promise<ToolResult>;
  /**
   * Targets that the call reads, writes, deletes, executes or reaches. Without it, or when it returns undefined, the effect is unknown:
   * asked, never parallel. `by` says who asked for the call; a call without it comes from the model.
   */
  effects?(
    params: Params,
    by?: Asker,
    signal?: AbortSignal,
  ): Effect[] | undefined | Promise<Effect[] | undefined>;
  /** Names among the params that mean nothing to this tool. Without it every name counts as known. */
  unknownParameters?(params: Params): string[];
  /** Called on every path that does not execute, to drop what was planned. */
  discard?(params: Params): void | Promise<void>;
  /** The call with what the user wrote in place of the proposal (file content, command): a new object, planned and asked about like the first. */
  modify?(params: Params, written: string, signal: AbortSignal): Params | Promise<Params>;
  /**
   * Asked first about a call of a tool whose code runs in another thread, so that `validateToolParams`,
   * `getDescription` and `unknownParameters` can then answer at once for this params object.
   */
  prepare?(params: Params, signal?: AbortSignal): Promise<void>;
  /** Kinds of resources in use where the code of the tool runs, if that is another thread. */
  activeResources?(): Promise<string[]>;
  /** Milliseconds after which a call is stopped, where the tool knows better than the general limit. */
  readonly timeoutMs?: number | undefined;
  readonly nameAliases?: readonly string[];
  readonly parameterAliases?: ParameterAliases;
  /** Kinds of effects that its calls can have at most, `execute` covering all: hints for agents that call it from elsewhere. */
  readonly effectKinds?: readonly Effect['kind'][] | undefined;
  /** No other call of a batch runs beside one of this tool, whatever its effects. */
  readonly runsAlone?: boolean;
  /** A second call with the same params changes nothing more: one that was interrupted may be run again, where the rules ask nobody. */
  readonly isRepeatable?: boolean | undefined;
}

/** The description that a tool gives of itself when it is made. */
export interface ToolSpec {
  name: string;
  displayName: string;
  description: string;
  parameterSchema: JsonSchema;
  /** Other names accepted on input, never advertised. */
  nameAliases?: readonly string[];
  parameterAliases?: ParameterAliases;
  /** Parameters accepted on input, never advertised. */
  hiddenParameters?: readonly string[];
  effectKinds?: readonly Effect['kind'][];
}

/** Accepted params and plans of a tool's calls, by the params given. */
interface CallsOf<Params, Plan> {
  canonical: WeakMap<object, Params>;
  plans: WeakMap<object, Promise<Plan>>;
}

const NO_NAMES: readonly string[] = Object.freeze([]);
const NO_ALIASES: ParameterAliases = Object.freeze({});

/**
 * The class every built-in tool extends. A tool writes `run`; a tool that changes something also writes
 * `makePlan`, which is called once per params object and shared by the question and the execution.
 */
export abstract class BaseTool<Params extends object = Record<string, unknown>, Plan = undefined>
  implements Tool<Params>
{
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly parameterSchema: JsonSchema;
  readonly nameAliases: readonly string[];
  readonly parameterAliases: ParameterAliases;
  readonly effectKinds: readonly Effect['kind'][] | undefined;

  readonly #hiddenParameters: readonly string[];
  #made: CallsOf<Params, Plan> | undefined;

  constructor(spec: ToolSpec) {
    this.name = spec.name;
    this.displayName = spec.displayName;
    this.description = spec.description;
    this.parameterSchema = spec.parameterSchema;
    this.nameAliases = spec.nameAliases ?? NO_NAMES;
    this.parameterAliases = spec.parameterAliases ?? NO_ALIASES;
    this.effectKinds = spec.effectKinds;
    this.#hiddenParameters = spec.hiddenParameters ?? NO_NAMES;
  }

  validateToolParams(params: Params): string | null {
    try {
      this.#accept(params);
      return null;
    } catch (error) {
      if (isToolError(error)) return error.message;
      throw error;
    }
  }

  unknownParameters(params: Params): string[] {
    const { properties } = this.parameterSchema;
    const known = [...Object.keys(isJsonObject(properties) ? properties : {}), ...this.#hiddenParameters];
    return Object.keys(params).filter((name) => !known.includes(name));
  }

  abstract getDescription(params: Params): string;

  abstract effects(
    params: Params,
    by?: Asker,
    signal?: AbortSignal,
  ): Effect[] | undefined | Promise<Effect[] | undefined>;

  async shouldConfirmExecute(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
    inner?: MakeInnerCalls,
  ): Promise<ConfirmationDetails | false> {
    signal.throwIfAborted();
    return this.confirmation(this.#accept(params), signal, onUpdate, inner);
  }

  async execute(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
    caller?: Caller,
  ): Promise<ToolResult> {
    try {
      const accepted = this.#accept(params);
      signal.throwIfAborted();
      return await this.run(accepted, signal, onUpdate, caller);
    } catch (error) {
      if (isToolError(error)) return errorResult(error.code, error.message);
      if (signal.aborted) return cancelledResult(signal);
      throw error;
    } finally {
      this.#forget(params);
    }
  }

  async discard(params: Params): Promise<void> {
    const accepted = this.#calls.canonical.get(params) ?? params;
    const plan = this.#calls.plans.get(accepted);
    this.#forget(params);
    if (plan) await plan.then((made) => this.release(made)).catch(() => undefined);
  }

  /** Problems the schema can't express. */
  protected problem(_params: Params): string | null {
    return null;
  }

  protected async confirmation(
    _params: Params,
    _signal: AbortSignal,
    _onUpdate?: OnUpdate,
    _inner?: MakeInnerCalls,
  ): Promise<ConfirmationDetails | false> {
    return false;
  }

  protected abstract run(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
    caller?: Caller,
  ): Promise<ToolResult>;

  /** The plan of this call: made at most once, whoever asks first. */
  protected plan(params: Params, signal: AbortSignal, onUpdate?: OnUpdate): Promise<Plan> {
    let plan = this.#calls.plans.get(params);
    if (!plan) {
      plan = this.makePlan(params, signal, onUpdate);
      this.#calls.plans.set(params, plan);
    }
    return plan;
  }

  /** A new call of the same params with another plan: what the user wrote need not fit into params. */
  protected withPlan(params: Params, plan: Plan): Params {
    const accepted = this.#accept({ ...params });
    this.#calls.plans.set(accepted, Promise.resolve(plan));
    return accepted;
  }

  protected makePlan(_params: Params, _signal: AbortSignal, _onUpdate?: OnUpdate): Promise<Plan> {
    throw new Error(`${this.name} has no plan`);
  }

  /** Undoes the making of a plan that will not be executed. */
  protected async release(_plan: Plan): Promise<void> {}

  /** The params as they are handed to `run`: aliases resolved, the same object each time. */
  protected accepted(params: Params): Params {
    return this.#accept(params);
  }

  /** Made with the first call: of thousands of tools a few are ever called. */
  get #calls(): CallsOf<Params, Plan> {
    this.#made ??= { canonical: new WeakMap(), plans: new WeakMap() };
    return this.#made;
  }

  #accept(params: Params): Params {
    const known = this.#calls.canonical.get(params);
    if (known) return known;
    const checked = checkParams(this.parameterSchema, params, this.parameterAliases);
    if (!checked.ok) throw new ToolError('invalid_params', checked.problem);
    const accepted = checked.params as Params;
    const problem = this.problem(accepted);
    if (problem !== null) throw new ToolError('invalid_params', problem);
    this.#calls.canonical.set(params, accepted);
    this.#calls.canonical.set(accepted, accepted);
    return accepted;
  }

  #forget(params: Params): void {
    const accepted = this.#calls.canonical.get(params);
    if (accepted) this.#calls.plans.delete(accepted);
  }
}

export function errorResult(code: ToolErrorCode, message: string): ToolResult {
  return { llmContent: message, returnDisplay: messageForUser(message), error: { code, message } };
}

/** The error of a call that goes on although it was told to stop. */
export function leftBehind(signal: AbortSignal): ToolError {
  return new ToolError(
    signal.reason?.kind === 'timeout' ? 'timeout' : 'cancelled',
    `The call was ${describeAbort(signal)}. It did not stop when told to and was left behind.`,
  );
}

export function cancelledResult(signal: AbortSignal): ToolResult {
  const code = abortReason(signal).kind === 'timeout' ? 'timeout' : 'cancelled';
  const result = errorResult(code, `The call was ${describeAbort(signal)}. Nothing more was done.`);
  return code === 'cancelled' ? { ...result, returnDisplay: 'Cancelled.' } : result;
}
