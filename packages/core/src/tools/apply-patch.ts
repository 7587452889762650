import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import { effectsOf } from '@toolwright/machine/changes/change-set.js';
import { type FilePatch, parsePatch } from './text-change/patch/parse-patch.js';
import type { PatchPlan } from './text-change/patch/plan-patch.js';
import type { TextChangeHost, TextChangeOptions } from './text-change/text-plan.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from './tools.js';

export type ApplyPatchParams = { patch: string };

/** Somebody who changes the same files at once is given way to this often. */
const ATTEMPTS = 5;

/** Offered in place of edit to models that were trained on this form: see model/tools-of-families.ts. */
export class ApplyPatchTool extends BaseTool<ApplyPatchParams, PatchPlan> {
  constructor(
    private readonly host: TextChangeHost,
    private readonly options: TextChangeOptions,
  ) {
    super({
      name: 'apply_patch',
      displayName: 'ApplyPatch',
      effectKinds: ['read', 'write', 'delete'],
      description:
        'Changes files by a patch between the lines "*** Begin Patch" and "*** End Patch", all of it or nothing. Each file has ' +
        'a section: "*** Add File: PATH" with every line after "+"; "*** Delete File: PATH"; or "*** Update File: PATH", then ' +
        'perhaps "*** Move to: PATH", then hunks: "@@ LINE ABOVE" where it helps to find the place, lines that stay after a blank, ' +
        'removed ones after "-", added ones after "+", with three lines around each change. Read the files first.',
      parameterSchema: {
        type: 'object',
        properties: { patch: { type: 'string', minLength: 1, description: 'The whole patch.' } },
        required: ['patch'],
      },
      parameterAliases: { patch: ['input'] },
    });
  }

  override getDescription({ patch }: ApplyPatchParams): string {
    const files = parsePatch(patch);
    const [first] = files;
    if (!first || files.length > 1) return `Patch ${plural(files.length, 'file')}`;
    const verbs = { add: 'Create', delete: 'Delete', update: 'Edit' };
    return `${verbs[first.kind]} ${first.path}`;
  }

  override effects({ patch }: ApplyPatchParams): Effect[] {
    return parsePatch(patch).flatMap((file) => this.#effectsOf(file));
  }

  #effectsOf(file: FilePatch): Effect[] {
    const path = this.host.workspace.resolve(file.path);
    if (file.kind === 'add') return [{ kind: 'write', path }];
    const moved = file.kind === 'update' && file.moveTo !== undefined ? file.moveTo : null;
    return [
      { kind: 'read', path },
      { kind: file.kind === 'delete' || moved !== null ? 'delete' : 'write', path },
      ...(moved === null ? [] : [{ kind: 'write' as const, path: this.host.workspace.resolve(moved) }]),
    ];
  }

  protected override problem({ patch }: ApplyPatchParams): string | null {
    try {
      parsePatch(patch);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  protected override async makePlan({ patch }: ApplyPatchParams, signal: AbortSignal): Promise<PatchPlan> {
    const { planPatch } = await import('./text-change/patch/plan-patch.js');
    return planPatch(parsePatch(patch), { ...this.options, host: this.host }, signal);
  }

  protected override async confirmation(
    params: ApplyPatchParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails> {
    const { planned } = await this.plan(params, signal);
    const effects = effectsOf(planned.changeSet);
    return { kind: 'edit', title: this.getDescription(params), diff: planned.diff, effects };
  }

  protected override async run(params: ApplyPatchParams, signal: AbortSignal): Promise<ToolResult> {
    const first = await this.plan(params, signal);
    if (first.planned.changeSet.changes.length === 0)
      return {
        llmContent: 'Nothing to change: the files are already as wanted.',
        returnDisplay: 'Nothing to change.',
      };
    const { plan, changeSet } = await this.#commit(first, params, signal);
    for (const change of plan.planned.changeSet.changes) {
      if (change.kind !== 'create' && change.kind !== 'modify') continue;
      const bytes = await plan.planned.blobs.read(change.after.hash);
      this.options.seen?.saw(change.path, { hash: change.after.hash, bytes });
    }
    return { llmContent: plan.lines.join('\n'), returnDisplay: plan.planned.diff, changeSet };
  }

  /** Hunks are found by their lines, so they are looked for again where somebody else was faster. */
  async #commit(
    first: PatchPlan,
    params: ApplyPatchParams,
    signal: AbortSignal,
  ): Promise<{ plan: PatchPlan; changeSet: string }> {
    let plan = first;
    for (let attempt = 1; ; attempt++) {
      try {
        return { plan, changeSet: await this.options.commit(plan.planned, signal) };
      } catch (error) {
        if (!isToolError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
        plan = await this.makePlan(params, signal);
      }
    }
  }
}
