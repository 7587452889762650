import { plural } from '@toolwright/machine/base/amounts.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { explainMissing } from './read/find-file.js';
import { replaceText } from './text-change/replace/replace.js';
import {
  changedLines,
  encodingNote,
  lineList,
  planReplacement,
  refuseCutOff,
  snippets,
} from './text-change/replacement.js';
import {
  commitPlan,
  confirmationOf,
  exists,
  inPlaceNote,
  loadTarget,
  planCreation,
  planEdits,
  planWritten,
  type Reapply,
  type Target,
  type TextChangeHost,
  type TextChangeNeeds,
  type TextChangeOptions,
  type TextPlan,
} from './text-change/text-plan.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from './tools.js';

export type EditParams = {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
  /** Accepted, not advertised: how many places there must be. */
  expected_replacements?: number;
};

const MOST_NAMED = 1_000;
const MOST_REMEMBERED = 200;

export class EditTool extends BaseTool<EditParams, TextPlan> {
  /** Keys of the edits that were carried out, newest last. */
  readonly #made = new Set<string>();

  constructor(
    private readonly host: TextChangeHost,
    private readonly options: TextChangeOptions,
  ) {
    super({
      name: 'edit',
      displayName: 'Edit',
      effectKinds: ['read', 'write'],
      description:
        'Replaces text in a file. old_string must be in the file exactly once, with enough lines around it to be ' +
        'unique, unless replace_all is set; copy it from the file, without line numbers. Everything ' +
        'else, including encoding and line endings, is preserved. An empty old_string creates a new file. Read the file first.',
      parameterSchema: {
        type: 'object',
        properties: {
          file_path: { type: 'string', minLength: 1, description: 'File to change.' },
          old_string: { type: 'string', description: 'Text to replace; empty to create the file.' },
          new_string: { type: 'string', description: 'Text to put in its place.' },
          replace_all: { type: 'boolean', description: 'Replace every occurrence. Default: false.' },
        },
        required: ['file_path', 'old_string', 'new_string'],
      },
      nameAliases: ['replace'],
      parameterAliases: { file_path: ['absolute_path', 'path'] },
      hiddenParameters: ['expected_replacements'],
    });
  }

  get #needs(): TextChangeNeeds {
    return { ...this.options, host: this.host };
  }

  override getDescription({ file_path, old_string, new_string }: EditParams): string {
    if (old_string === '') return `Create ${file_path}`;
    return `Edit ${file_path}: ${clip(old_string)} becomes ${clip(new_string)}`;
  }

  override effects({ file_path }: EditParams): Effect[] {
    const path = this.host.workspace.resolve(file_path);
    return [
      { kind: 'read', path },
      { kind: 'write', path },
    ];
  }

  async modify(params: EditParams, written: string, signal: AbortSignal): Promise<EditParams> {
    const { target } = await this.plan(this.accepted(params), signal);
    return this.withPlan(params, await planWritten(this.host, target, written));
  }

  protected override problem(params: EditParams): string | null {
    const { old_string, new_string, expected_replacements: expected } = params;
    if (expected !== undefined && !(Number.isInteger(expected) && expected > 0)) {
      return 'expected_replacements: expected a whole number above 0.';
    }
    if (old_string === new_string && old_string !== '') {
      return 'old_string and new_string are the same text, so nothing would change. Put the changed text into new_string.';
    }
    if (old_string !== '' && old_string.trim() === '') {
      return 'old_string is only whitespace, which is everywhere. Include some of the text next to it.';
    }
    return null;
  }

  protected override async makePlan(params: EditParams, signal: AbortSignal): Promise<TextPlan> {
    const target = await loadTarget(this.host, params.file_path, signal);
    if (params.old_string === '') return this.#planNew(target, params.new_string);
    if (!exists(target)) {
      const missing = await explainMissing(this.host, target.path, { hidden: this.options.hidden, signal });
      throw new ToolError('not_found', `${missing} To create it, send an empty old_string.`);
    }
    const replacement = {
      oldText: params.old_string,
      newText: params.new_string,
      replaceAll: params.replace_all ?? false,
      expected: params.expected_replacements,
      madeBefore: this.#made.has(madeKey(target.realPath, params)),
    };
    return planReplacement(target, replacement, this.#needs);
  }

  async #planNew(target: Target, content: string): Promise<TextPlan> {
    refuseCutOff({ name: 'new_string', text: content, replaced: null, shown: target.shown });
    if (!exists(target)) return planCreation(this.host, target, content);
    if (target.file.decoded.text === '')
      return planEdits(this.host, target, [{ start: 0, end: 0, text: content }]);
    throw new ToolError(
      'invalid_params',
      `${target.shown} exists already and is not empty. Give the text to replace as old_string, or use write_file to replace the whole file.`,
    );
  }

  protected override async confirmation(
    params: EditParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails> {
    const plan = await this.plan(params, signal);
    const { shown, file } = plan.target;
    return confirmationOf(plan, file ? `Edit ${shown}` : `Create ${shown}`);
  }

  protected override async run(params: EditParams, signal: AbortSignal): Promise<ToolResult> {
    const plan = await this.plan(params, signal);
    const { planned, notes } = plan;
    if (!planned)
      return { llmContent: ['Nothing to change.', ...notes].join(' '), returnDisplay: notes.join(' ') };
    const reapply = plan.writtenByUser ? undefined : reapplying(params);
    const done = await commitPlan({ ...plan, planned }, { needs: this.#needs, reapply, signal });
    if (!plan.writtenByUser) this.#remember(madeKey(plan.target.realPath, params));
    return {
      llmContent: [
        headline(done.plan),
        ...done.plan.notes,
        ...encodingNote(done.plan),
        ...inPlaceNote(done.plan.target),
        snippets(done.plan),
      ].join('\n'),
      returnDisplay: done.plan.planned?.diff ?? 'There was nothing left to change.',
      changeSet: done.changeSet,
    };
  }

  #remember(key: string): void {
    this.#made.delete(key);
    this.#made.add(key);
    for (const oldest of this.#made) {
      if (this.#made.size <= MOST_REMEMBERED) break;
      this.#made.delete(oldest);
    }
  }
}

/** One place that is told by its text is found again in any version; several are those of the version that was seen. */
function reapplying({ old_string, new_string, replace_all, expected_replacements }: EditParams): Reapply {
  return async (text) => {
    if (old_string === '' || replace_all || (expected_replacements ?? 1) > 1) return null;
    const outcome = await replaceText({ text, oldText: old_string, newText: new_string });
    return outcome.kind === 'replaced' ? outcome.edits : null;
  };
}

/** Short, because the texts may have megabytes. */
function madeKey(path: string, { old_string, new_string }: EditParams): string {
  return sha256OfText(JSON.stringify([path, old_string, new_string]));
}

function headline({ target, excerpt, planned }: TextPlan): string {
  const { shown, file } = target;
  if (!planned) return `${shown} already has this change: someone else made it meanwhile.`;
  if (!file) return `Created ${shown}.`;
  const { edits } = excerpt;
  const lines = lineList(changedLines({ ...excerpt, edits: edits.slice(0, MOST_NAMED) }));
  return `Edited ${shown}: ${plural(edits.length, 'replacement')} at ${lines}.`;
}

function clip(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 40 ? `"${line.slice(0, 40)}…"` : `"${line}"`;
}
