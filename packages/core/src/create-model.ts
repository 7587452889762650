import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { stateFolderPath } from '@toolwright/machine/host/state/state-folder.js';
import { askOverText } from './agent/side-question.js';
import { createSpending, type Spending } from './agent/spending/spending.js';
import type { ModelTable } from './model/catalogue/model-table.js';
import type { ModelChoice } from './model/choose-model.js';
import type { ModelClient } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import { neverParking, nobodyToAsk } from './scheduler/call.js';
import type { McpOptions } from './tools/mcp/open-servers.js';

/** The model in use, and what is known of it. A user may choose another between two prompts. */
export interface ChosenModel {
  client: ModelClient;
  choice: ModelChoice | null;
  table: ModelTable;
  /** Counts the requests to every model of the conversation. */
  spending: Spending;
}

/** Connects to the model; each of its requests is counted. */
export async function chooseModel(
  options: CreateAgentOptions,
  spending = spendingOf(options),
): Promise<ChosenModel> {
  const chosen = await connectModel(options);
  const { table } = chosen;
  const wrapped = options.wrapModel ? options.wrapModel(chosen.client) : chosen.client;
  return { ...chosen, spending, client: spending.watch(wrapped, (model) => table(model).prices) };
}

function spendingOf({ beforeRequest, maxCost, onEvent }: CreateAgentOptions): Spending {
  return createSpending({
    beforeRequest,
    needsPrices: maxCost !== undefined,
    tell: (report) => onEvent?.({ type: 'usage-report', ...report }),
  });
}

/** The model that an agent with these options would use, and why; no model is asked anything. */
export async function modelInReach(
  options: Pick<CreateAgentOptions, 'model' | 'stateFolder' | 'environment'>,
): Promise<ModelChoice | null> {
  return (await connectModel(options)).choice;
}

/** Connects to another model where the first one was connected to; undefined for a client that was given. */
export function otherModels(
  options: CreateAgentOptions,
  { spending }: Pick<ChosenModel, 'spending'>,
): ((name: string) => Promise<ModelClient>) | undefined {
  const { model } = options;
  if (model && 'stream' in model) return undefined;
  return async (name) =>
    (await chooseModel({ ...options, model: { ...model, model: name } }, spending)).client;
}

async function connectModel({
  model,
  stateFolder,
  environment = process.env,
}: Pick<CreateAgentOptions, 'model' | 'stateFolder' | 'environment'>): Promise<
  Omit<ChosenModel, 'spending'>
> {
  const ids = createIds();
  const clock = createClock();
  const { openModelTable } = await import('./model/catalogue/model-table.js');
  const path = stateFolder ?? stateFolderPath(environment);
  const table = await openModelTable(openState({ path, host: { clock, ids } }));
  if (model && 'stream' in model) return { client: model, choice: null, table };
  const { createModel } = await import('./model/choose-model.js');
  const created = await createModel({
    ...model,
    table,
    environment,
    host: { http: createHttp({ environment }), clock, ids },
    offline: async () => (await import('./model/offline/offline.js')).createOfflineModel(ids),
  });
  return { ...created, table };
}

/** The offline model answers no questions over texts. */
export function sideQuestion(current: ChosenModel): ToolboxOptions['askModel'] {
  if (current.client.provider === 'offline') return undefined;
  return (prompt, text, signal) => askOverText(current.client, { prompt, text, purpose: 'question' }, signal);
}

/** Notices of servers reach the user as events; their questions reach the model where the user agrees. */
export function answeredByModel(
  mcp: McpOptions,
  { onEvent, confirm = nobodyToAsk }: CreateAgentOptions,
  current: ChosenModel,
): McpOptions {
  const say = mcp.say ?? ((message: string) => onEvent?.({ type: 'notice', message }));
  if (current.client.provider === 'offline') return { ...mcp, say };
  return {
    ...mcp,
    say,
    samplesWithTools: true,
    onSample: async (request, signal) => {
      const { answerSample } = await import('./agent/sampling.js');
      return answerSample(request, { model: current.client, confirm: neverParking(confirm), say }, signal);
    },
  };
}
