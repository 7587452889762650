import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { REDACTED } from '@toolwright/machine/base/secrets/redact.js';
import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import { refuseCutOff } from './text-change/cut-off.js';
import { countChanges, effectsOfChange, resultOfChange, shownPath } from './text-change/describe-change.js';
import { refuseUnsaved } from './text-change/editor-text.js';
import { formatPlan } from './text-change/format-plan.js';
import { rewriteText } from './text-change/replace/rewrite.js';
import {
  commitPlan,
  confirmationOf,
  type ExistingTarget,
  exists,
  loadTarget,
  mergedEdits,
  noteOfMerge,
  olderText,
  planCreation,
  planEdits,
  planWritten,
  requireSeen,
  type TextChangeHost,
  type TextChangeOptions,
  type TextPlan,
} from './text-change/text-plan.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from './tools.js';

export type WriteFileParams = {
  file_path: string;
  content: string;
};

/** Writes a whole file. */
export class WriteFileTool extends BaseTool<WriteFileParams, TextPlan> {
  constructor(
    private readonly host: TextChangeHost,
    private readonly options: TextChangeOptions,
  ) {
    super({
      name: 'write_file',
      displayName: 'WriteFile',
      effectKinds: ['read', 'write'],
      description:
        'Writes a whole text file: a new one, with the folders it needs, or in place of an existing one, whose ' +
        'encoding and line endings are kept. Read an existing file first; content must be complete, never shortened ' +
        'with "..." or the like. Not for changing a part of a file.',
      parameterSchema: {
        type: 'object',
        properties: {
          file_path: { type: 'string', minLength: 1, description: 'File to write.' },
          content: { type: 'string', description: 'The complete content.' },
        },
        required: ['file_path', 'content'],
      },
      parameterAliases: { file_path: ['absolute_path', 'path'] },
    });
  }

  override getDescription({ file_path, content }: WriteFileParams): string {
    return `Write ${shownPath(this.host.workspace, file_path)} (${plural(lineCount(content), 'line')})`;
  }

  override effects({ file_path }: WriteFileParams): Effect[] {
    return effectsOfChange(this.host.workspace.resolve(file_path));
  }

  async modify(params: WriteFileParams, written: string, signal: AbortSignal): Promise<WriteFileParams> {
    const { target } = await this.plan(this.accepted(params), signal);
    return this.withPlan({ ...params, content: written }, await planWritten(this.host, target, written));
  }

  protected override async makePlan(params: WriteFileParams, signal: AbortSignal): Promise<TextPlan> {
    const plan = await this.#planUnformatted(params, signal);
    return formatPlan(plan, { ...this.options, host: this.host }, signal);
  }

  async #planUnformatted({ file_path, content }: WriteFileParams, signal: AbortSignal): Promise<TextPlan> {
    const target = await loadTarget(this.host, file_path, signal);
    const { shown } = target;
    if (exists(target)) return this.#planRewrite(target, content);
    refuseUnsaved(target, this.options.seen);
    refuseCutOff({ name: 'content', text: content, replaced: null, shown });
    return planCreation(this.host, target, content);
  }

  async #planRewrite(target: ExistingTarget, given: string): Promise<TextPlan> {
    const { seen } = this.options;
    const version = requireSeen(target, seen);
    const { text } = target.file.decoded;
    // The file keeps the mark it has, or has none.
    const content = given.replace(/^\uFEFF/, '');
    refuseCutOff({ name: 'content', text: content, replaced: text, shown: target.shown });
    this.#refusePlaceholder(target, content);
    if (version?.hash === undefined || version.hash === target.file.hash) {
      return planEdits(this.host, target, await rewriteText(target.file.decoded, content));
    }
    const base = await olderText(target, version);
    if (base === null) {
      throw new ToolError(
        'conflict',
        `${target.shown} has changed since you last saw it, so it was not overwritten. Read it again, then repeat the call.`,
      );
    }
    const ours = applyEdits(base, await rewriteText({ text: base, exact: false }, content));
    const plan = await planEdits(this.host, target, await mergedEdits(target, { base, ours }, seen));
    plan.notes.push(await noteOfMerge(target, base));
    return plan;
  }

  /** A model that was shown a placeholder would write it in the place of the secret. */
  #refusePlaceholder({ shown, file }: ExistingTarget, content: string): void {
    const { text } = file.decoded;
    if (!content.includes(REDACTED) || text.includes(REDACTED) || !this.options.holdsSecret?.(text)) return;
    throw new ToolError(
      'invalid_params',
      `${shown} holds secrets that you were shown as ${REDACTED}; written like this they would be lost. Nothing was written. Change only the other parts.`,
    );
  }

  protected override async confirmation(
    params: WriteFileParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails> {
    const plan = await this.plan(params, signal);
    const { shown, file } = plan.target;
    return confirmationOf(plan, file ? `Overwrite ${shown}` : `Create ${shown}`);
  }

  protected override async run(params: WriteFileParams, signal: AbortSignal): Promise<ToolResult> {
    const plan = await this.plan(params, signal);
    const { planned, target } = plan;
    if (!planned) {
      this.options.seen?.saw(target.realPath, target.file ?? undefined);
      const same = `${target.shown} already has exactly this content; nothing was written.`;
      return { llmContent: [same, ...plan.notes].join('\n'), returnDisplay: same };
    }
    const done = await commitPlan(
      { ...plan, planned },
      { needs: { ...this.options, host: this.host }, signal },
    );
    return resultOfChange(done, {
      headline: headline(done.plan),
      nothingLeft: 'No changes were needed.',
    });
  }
}

function headline(plan: TextPlan): string {
  const { shown, file } = plan.target;
  if (!plan.planned) return `${shown} already has this content: someone else wrote it meanwhile.`;
  if (!file) return `Created ${shown} (${plural(lineCount(plan.text()), 'line')}).`;
  return `Wrote ${shown}: ${countChanges(plan)}.`;
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
