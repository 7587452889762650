import type { Effect } from '@toolwright/machine/base/effect.js';
import { effectsOf } from '@toolwright/machine/changes/change-set.js';
import {
  BaseTool,
  type ConfirmationDetails,
  type MakeInnerCalls,
  type OnUpdate,
  type ToolResult,
} from '../tools.js';
import { resultOf } from './report.js';
import { carryOut, type ScriptNeeds, type ScriptOutcome } from './script-run.js';

export type ScriptParams = { code: string; description?: string };

/**
 * Runs JavaScript of the model that calls the other tools. It runs when its question is made, so that the question is about what
 * it has changed; its calls are asked about one by one where they reach further than files.
 */
export class ScriptTool extends BaseTool<ScriptParams, ScriptOutcome> {
  readonly runsAlone = true;
  readonly #inner = new WeakMap<ScriptParams, MakeInnerCalls>();

  constructor(private readonly needs: ScriptNeeds) {
    super({
      name: 'script',
      displayName: 'Script',
      description:
        'Runs JavaScript that calls your other tools: for the same change in many files, or many lookups. ' +
        '`await tools.NAME({…})` takes the parameters that the tool has elsewhere, and throws an Error with code and message ' +
        'where it fails; calls made before an await run side by side. It gives: read_file the text; glob and list_directory a ' +
        'list of paths; grep_search a list of {path, line, text}; run_shell_command {output, exit_code}; others their text. ' +
        'The response is what you print(…) and return. Files are changed on a copy that later calls of the script see; the ' +
        'user is asked once, at the end. A script reads a file before it changes it; one that throws changes nothing. There are ' +
        'no modules, timers or Node.',
      parameterSchema: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            minLength: 1,
            description: 'Body of an async function.',
          },
          description: { type: 'string', description: 'What it is for, in a few words, for the user.' },
        },
        required: ['code'],
      },
    });
  }

  override getDescription({ description }: ScriptParams): string {
    return description ? `Run a script: ${description}` : 'Run a script';
  }

  /** Each of its calls is judged by itself, and its changes when they are known. */
  override effects(): Effect[] {
    return [];
  }

  protected override problem({ code }: ScriptParams): string | null {
    return code.trim() === '' ? 'code is empty.' : null;
  }

  protected override async confirmation(
    params: ScriptParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
    inner?: MakeInnerCalls,
  ): Promise<ConfirmationDetails | false> {
    if (inner) this.#inner.set(params, inner);
    const { changes } = await this.plan(params, signal, onUpdate);
    if (!changes) return false;
    const { review, planned } = changes.reviewed;
    const warned = review.items.filter(({ warnings }) => warnings.length > 0);
    return {
      kind: 'edit',
      title: this.getDescription(params),
      diff: planned.diff,
      effects: effectsOf(planned.changeSet).map((effect) =>
        effect.kind === 'write' &&
        warned.some(({ path, change }) => path === effect.path && change === 'symlink')
          ? { ...effect, leaves: true }
          : effect,
      ),
      warnings: warned.flatMap(({ path, warnings }) =>
        warnings.map((why) => `${this.needs.show(path)}: ${why}`),
      ),
    };
  }

  protected override makePlan(
    params: ScriptParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ScriptOutcome> {
    return carryOut(params.code, { ...this.needs, inner: this.#inner.get(params), onUpdate, signal });
  }

  protected override async run(
    params: ScriptParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const outcome = await this.plan(params, signal, onUpdate);
    const { changes } = outcome;
    if (!changes) return resultOf(params.code, outcome, null);
    try {
      const kept = await changes.gathered.keep(changes.reviewed.review.digest, signal);
      return resultOf(params.code, outcome, kept);
    } finally {
      await changes.gathered.drop();
    }
  }

  protected override async release({ changes }: ScriptOutcome): Promise<void> {
    await changes?.gathered.drop();
  }
}
