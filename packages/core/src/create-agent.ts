import { runPrompt } from './agent/agent.js';
import type { AgentEvent, AgentResult } from './agent/events.js';
import { systemPrompt } from './agent/prompt.js';
import { type Message, type PartListUnion, toParts } from './base/content.js';
import { createToolbox, type Toolbox, type ToolboxOptions } from './create-toolbox.js';
import type { ModelClient } from './model/model.js';

export interface CreateAgentOptions extends Omit<ToolboxOptions, 'onCallEvent' | 'forModel' | 'modelName'> {
  /** The model to ask; the built-in offline model unless told. */
  model?: ModelClient;
  onEvent?(event: AgentEvent): void;
  maxTurns?: number;
}

export interface Agent extends Toolbox {
  readonly model: ModelClient;
  readonly messages: readonly Message[];
  /** Works on a prompt until the model asks for nothing more. */
  prompt(prompt: PartListUnion, signal?: AbortSignal): Promise<AgentResult>;
}

const MAX_TURNS = 100;

/** An agent on a workspace: model, tools, rules and journal, connected. */
export async function createAgent(options: CreateAgentOptions): Promise<Agent> {
  const emit = options.onEvent ?? (() => undefined);
  const model = options.model ?? (await offlineModel());
  const toolbox = await createToolbox({
    ...options,
    onCallEvent: emit,
    forModel: true,
    modelName: { provider: model.provider, model: model.model },
  });
  const { host, permission, registry, scheduler, session } = toolbox;
  const messages: Message[] = [];
  const system = systemPrompt({
    workspace: host.workspace.directory,
    otherRoots: host.workspace.roots.slice(1).map(({ path }) => path),
    platform: process.platform,
    date: new Date(host.clock.now()).toISOString().slice(0, 10),
    mode: permission.mode,
  });
  let started = false;
  return {
    ...toolbox,
    model,
    messages,
    async prompt(prompt, signal = new AbortController().signal) {
      if (!started) emit(sessionStart(toolbox, model));
      started = true;
      return runPrompt(
        toParts(prompt),
        {
          model,
          scheduler,
          declarations: () => registry.getFunctionDeclarations(),
          system,
          messages,
          record: session.recordMessage,
          emit,
          maxTurns: options.maxTurns ?? MAX_TURNS,
        },
        signal,
      );
    },
  };
}

function sessionStart({ session, host, permission }: Toolbox, { provider, model }: ModelClient): AgentEvent {
  return {
    type: 'session-start',
    sessionId: session.id,
    provider,
    model,
    workspace: host.workspace.directory,
    mode: permission.mode,
  };
}

async function offlineModel(): Promise<ModelClient> {
  const [{ createOfflineModel }, { createIds }] = await Promise.all([
    import('./model/offline/offline.js'),
    import('./host/node-host.js'),
  ]);
  return createOfflineModel(createIds());
}
