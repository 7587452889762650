import { costOf } from '../../model/catalogue/model-table.js';
import {
  type ModelClient,
  ModelError,
  type NamedModel,
  type Prices,
  type Usage,
  withStream,
} from '../../model/model.js';

/** The tokens and dollars of a prompt, with all that worked for it. */
export interface Spent {
  usage: Usage;
  /** As far as prices are known; undefined while none was. */
  cost: number | undefined;
}

/** The tokens that one request took. */
export interface UsageReport extends NamedModel {
  usage: Usage;
  /** Dollars, where the price is known. */
  cost?: number | undefined;
  /** See `ModelRequest`. */
  purpose?: string | undefined;
}

interface SpendingNeeds {
  /** Awaited before each request, also before one that is made again. */
  beforeRequest?: ((signal: AbortSignal, asked: NamedModel) => Promise<void>) | undefined;
  /** True where money is limited: a model whose price nobody knows is not asked. */
  needsPrices: boolean;
  tell(report: UsageReport): void;
}

type RecordUsage = (used: { purpose: string; model: string; usage: Usage }) => Promise<void>;

/** Counts the requests to all models of a conversation, whoever makes them. */
export interface Spending {
  /** Since the prompt began. */
  readonly spent: Spent;
  /** A prompt begins: counts from `earlier` on, or from nothing. */
  begin(earlier?: { usage: Usage; cost?: number | undefined }): void;
  /** Requests that are no turn of the conversation are written down from now on. */
  writeTo(record: RecordUsage): void;
  /** The same model, each of whose requests is waited for, counted and told. */
  watch(client: ModelClient, pricesOf: (model: string) => Prices | undefined): ModelClient;
}

export function createSpending({ beforeRequest, needsPrices, tell }: SpendingNeeds): Spending {
  let spent = copyOf();
  let record: RecordUsage | null = null;
  const count = (usage: Usage, cost: number | undefined): void => {
    addUsage(spent.usage, usage);
    if (cost !== undefined) spent.cost = (spent.cost ?? 0) + cost;
  };
  return {
    get spent() {
      return spent;
    },
    begin(earlier) {
      spent = copyOf(earlier);
    },
    writeTo(to) {
      record = to;
    },
    watch(client, pricesOf) {
      const { provider, model } = client;
      const before = async (signal: AbortSignal, asked: NamedModel): Promise<void> => {
        if (needsPrices) requirePrices(asked, pricesOf);
        await beforeRequest?.(signal, asked);
      };
      // Without need of it a request stays plain data.
      const beforeRetry = beforeRequest || needsPrices ? before : undefined;
      return withStream(client, async function* (request, signal) {
        if (!client.hasOthers) await before(signal, { provider, model });
        for await (const event of client.stream({ ...request, beforeRetry }, signal)) {
          if (event.type === 'usage') {
            const { usage, by = { provider, model } } = event;
            const prices = pricesOf(by.model);
            const cost = prices && costOf(usage, prices);
            count(usage, cost);
            const { purpose } = request;
            tell({ ...by, usage, cost, purpose });
            if (purpose !== undefined) await record?.({ purpose, model: by.model, usage });
          }
          yield event;
        }
      });
    },
  };
}

function copyOf(earlier?: { usage: Usage; cost?: number | undefined }): Spent {
  return { usage: { inputTokens: 0, outputTokens: 0, ...earlier?.usage }, cost: earlier?.cost };
}

/** A limit of money means nothing for a model whose price nobody knows. The offline model costs nothing. */
function requirePrices(
  { provider, model }: NamedModel,
  pricesOf: (model: string) => Prices | undefined,
): void {
  if (provider === 'offline' || pricesOf(model)) return;
  throw new ModelError(
    'model',
    `${model} is not asked: money is limited, and nobody knows its prices here. Add them to models.json of the state folder (docs/models.md), or limit tokens instead.`,
  );
}

export function addUsage(total: Usage, usage: Usage): void {
  total.inputTokens += usage.inputTokens;
  total.outputTokens += usage.outputTokens;
  if (usage.cachedTokens) total.cachedTokens = (total.cachedTokens ?? 0) + usage.cachedTokens;
  if (usage.reasoningTokens) total.reasoningTokens = (total.reasoningTokens ?? 0) + usage.reasoningTokens;
}
