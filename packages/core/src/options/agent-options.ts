import type { Message, Part } from '@toolwright/machine/base/content.js';
import type { Checkpoint } from '../agent/agent.js';
import type { AgentEvent, AgentResult } from '../agent/events.js';
import type { FurtherPrompt } from '../agent/refused-prompt.js';
import type { ModelOptions } from '../model/choose-model.js';
import type { ModelClient, NamedModel } from '../model/model.js';
import type { ToolboxOptions } from './toolbox-options.js';

/** The model to connect to, where it is not given as an object. */
export type ModelSettings = Pick<
  ModelOptions,
  | 'provider'
  | 'model'
  | 'baseUrl'
  | 'apiKey'
  | 'chosenBy'
  | 'capabilities'
  | 'idleTimeoutMs'
  | 'tuning'
  | 'fallback'
>;

/** Options of a toolbox that an agent sets itself. */
export type SetByAgent = 'onCallEvent' | 'forModel' | 'modelName' | 'askModel' | 'takesPdf' | 'resume';

/** Options of an agent that its toolbox knows nothing of. */
export interface ConversationOptions {
  /** The model to ask: a client of your own, or what to connect to. Without it the environment decides. */
  model?: ModelClient | ModelSettings;
  /** Every model of the session passes through here: the client that it gives is asked in place of the one it gets. */
  wrapModel?(client: ModelClient): ModelClient;
  onEvent?(event: AgentEvent): void;
  /** Most answers of the model for one prompt; none unless set. */
  maxTurns?: number;
  /** Most tool calls for one prompt; none unless set. */
  maxCalls?: number;
  /** Most tokens for one prompt, sent and received together, those of subagents included; none unless set. */
  maxTokens?: number;
  /** Most dollars for one prompt; with it no model is asked whose price is not known; none unless set. */
  maxCost?: number;
  /** Most milliseconds for one prompt; none unless set. */
  maxMs?: number;
  /** Added to the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Awaited before each request to a model, whoever makes it, also before one that is made again. */
  beforeRequest?(signal: AbortSignal, asked: NamedModel): Promise<void>;
  /** Awaited when the journal holds an answer with calls, before they run, and again when it holds their responses. */
  checkpoint?(at: Checkpoint, result: AgentResult): Promise<void>;
  /** The id of an earlier session of this workspace that goes on, or its beginning; `latest` for the newest. */
  resume?: string;
  /** A conversation that a new session goes on from; `resume` continues one in its own journal instead. */
  startWith?: readonly Message[];
  /** The session follows one of the same conversation that the user cleared; hooks of its start are told. */
  isCleared?: boolean;
  /** Depth to which context files may import others. */
  importDepth?: number;
}

/** The options of one prompt. */
export interface PromptOptions {
  /**
   * Called after the calls of each turn and when the model is done: parts that the user wrote meanwhile go to the model as a further
   * prompt, before anything else is asked of it; null for nothing. Of several prompts hooks may refuse one alone.
   */
  between?(signal: AbortSignal): Promise<Part[] | FurtherPrompt[] | null>;
  /** Called when it is sure what becomes of the prompt: null where it goes to the model, else why a hook refused it. */
  onEnd?(refused: string | null): void;
  /** The result of an earlier prompt of the same work: limits hold for both together, and the new result counts both. */
  earlier?: AgentResult | undefined;
}

/** The options that an embedding program may choose for an agent. */
export interface CreateAgentOptions extends Omit<ToolboxOptions, SetByAgent>, ConversationOptions {}
