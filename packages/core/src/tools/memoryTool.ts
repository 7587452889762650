import type { Effect } from '@toolwright/machine/base/effect.js';
import { cleanFact, MAX_FACT_CHARACTERS } from '../memory/fact-text.js';
import type { FactPlan, FactStore, FactStores, MemoryScope } from './memory/fact-store.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from './tools.js';

export type MemoryParams = {
  fact: string;
  scope?: MemoryScope;
};

/** Remembers a fact for later sessions. */
export class MemoryTool extends BaseTool<MemoryParams, FactPlan> {
  constructor(private readonly facts: FactStores) {
    super({
      name: 'save_memory',
      displayName: 'SaveMemory',
      effectKinds: ['memory'],
      description:
        'Remembers one fact for later sessions. Use it when the user asks for that, or states a lasting preference ' +
        'or rule; not for the task at hand.',
      parameterSchema: {
        type: 'object',
        properties: {
          fact: { type: 'string', description: 'One short sentence that stands on its own.' },
          scope: {
            type: 'string',
            enum: ['project', 'global'],
            description: 'project (default): for work in this folder; global: about the user, everywhere.',
          },
        },
        required: ['fact'],
      },
    });
  }

  #store({ scope = 'project' }: MemoryParams): FactStore {
    return this.facts[scope];
  }

  override getDescription(params: MemoryParams): string {
    const { shown, scope } = this.#store(params);
    return `Remember in ${shown} (${scope}): ${cleanFact(params.fact)}`;
  }

  override effects(params: MemoryParams): Effect[] {
    const { scope, path } = this.#store(params);
    return [{ kind: 'memory', scope, path }];
  }

  modify(params: MemoryParams, written: string): MemoryParams {
    return { ...params, fact: written };
  }

  protected override problem({ fact }: MemoryParams): string | null {
    const { length } = cleanFact(fact);
    if (length === 0) return 'fact: there is nothing in it to remember.';
    if (length <= MAX_FACT_CHARACTERS) return null;
    return `fact: ${length} characters are too many; at most ${MAX_FACT_CHARACTERS} can be kept. Say it shorter, or as several facts.`;
  }

  protected override makePlan(params: MemoryParams, signal: AbortSignal): Promise<FactPlan> {
    return this.#store(params).plan({ add: cleanFact(params.fact) }, signal);
  }

  protected override async confirmation(
    params: MemoryParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails> {
    const { diff, effects } = await this.plan(params, signal);
    const { path, shown, scope } = this.#store(params);
    return {
      kind: 'edit',
      title: `Remember in ${shown} (${scope})`,
      diff: diff ?? { kind: 'diff', files: [] },
      effects,
      modifiable: { path, content: cleanFact(params.fact) },
    };
  }

  protected override async run(params: MemoryParams, signal: AbortSignal): Promise<ToolResult> {
    const { shown, scope } = this.#store(params);
    const plan = await this.plan(params, signal);
    const { diff, changeSet } = await plan.commit(signal);
    if (!diff) {
      const known = `${shown} holds this fact already; nothing was written.`;
      return { llmContent: known, returnDisplay: known };
    }
    return {
      llmContent: `Remembered in ${shown} (${scope}): ${cleanFact(params.fact)}`,
      returnDisplay: diff,
      changeSet,
    };
  }
}
