import { plural } from '@toolwright/machine/base/amounts.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { applyEdits, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import { explainMissing } from './search/explain-missing.js';
import { refuseCutOff } from './text-change/cut-off.js';
import {
  changedLines,
  effectsOfChange,
  lineList,
  resultOfChange,
  shownPath,
  snippets,
} from './text-change/describe-change.js';
import { refuseUnsaved } from './text-change/editor-text.js';
import { formatPlan } from './text-change/format-plan.js';
import { composeEdits } from './text-change/replace/compose-edits.js';
import type { Replacement } from './text-change/replacement.js';
import {
  commitPlan,
  confirmationOf,
  exists,
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

type OneEdit = { old_string: string; new_string: string; replace_all?: boolean };

export type EditParams = Partial<OneEdit> & {
  file_path: string;
  /** The edits in place of the texts above: several of one file, all or none. */
  edits?: OneEdit[];
  /** Accepted, not advertised: how many places there must be. */
  expected_replacements?: number;
};

const MOST_NAMED = 1_000;
const MOST_REMEMBERED = 200;

/** Replaces text in one file. */
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
        'else, including encoding and line endings, is preserved. An empty old_string creates a new file. ' +
        'For several places of one file send edits instead. Read the file first.',
      parameterSchema: {
        type: 'object',
        properties: {
          file_path: { type: 'string', minLength: 1, description: 'File to change.' },
          old_string: { type: 'string', description: 'Text to replace; empty to create the file.' },
          new_string: { type: 'string', description: 'Text to put in its place.' },
          replace_all: { type: 'boolean', description: 'Replace every occurrence. Default: false.' },
          edits: {
            type: 'array',
            description: 'Instead of old_string and new_string: several edits in order, all or none.',
            items: {
              type: 'object',
              properties: {
                old_string: { type: 'string' },
                new_string: { type: 'string' },
                replace_all: { type: 'boolean' },
              },
              required: ['old_string', 'new_string'],
            },
          },
        },
        required: ['file_path'],
      },
      nameAliases: ['replace'],
      parameterAliases: { file_path: ['absolute_path', 'path'] },
      hiddenParameters: ['expected_replacements'],
    });
  }

  get #needs(): TextChangeNeeds {
    return { ...this.options, host: this.host };
  }

  override getDescription(params: EditParams): string {
    const edits = editsIn(params);
    const [{ old_string, new_string } = emptyEdit] = edits;
    const path = shownPath(this.host.workspace, params.file_path);
    if (edits.length > 1) return `Edit ${path}: ${plural(edits.length, 'replacement')}`;
    if (params.edits === undefined && missingText(params)) return `Edit ${path}`;
    if (old_string === '') return `Create ${path}`;
    return `Edit ${path}: ${clip(old_string)} becomes ${clip(new_string)}`;
  }

  override effects({ file_path }: EditParams): Effect[] {
    return effectsOfChange(this.host.workspace.resolve(file_path));
  }

  async modify(params: EditParams, written: string, signal: AbortSignal): Promise<EditParams> {
    const { target } = await this.plan(this.accepted(params), signal);
    return this.withPlan(params, await planWritten(this.host, target, written));
  }

  protected override problem(params: EditParams): string | null {
    const { old_string = '', new_string = '', edits, expected_replacements: expected } = params;
    if (expected !== undefined && !(Number.isInteger(expected) && expected > 0)) {
      return 'expected_replacements: expected a whole number above 0.';
    }
    if (edits === undefined) return missingText(params) ?? problemOf({ old_string, new_string });
    if (old_string !== '' || new_string !== '')
      return 'Send either old_string and new_string, or edits, not both.';
    if (edits.length === 0) return 'edits is empty. Send at least one edit.';
    for (const [index, edit] of edits.entries()) {
      const found = edit.old_string === '' && edits.length > 1 ? EMPTY_AMONG_SEVERAL : problemOf(edit);
      if (found !== null) return `edits[${index}]: ${found}`;
    }
    return null;
  }

  protected override async makePlan(params: EditParams, signal: AbortSignal): Promise<TextPlan> {
    return formatPlan(await this.#planUnformatted(params, signal), this.#needs, signal);
  }

  async #planUnformatted(params: EditParams, signal: AbortSignal): Promise<TextPlan> {
    const target = await loadTarget(this.host, params.file_path, signal);
    const edits = editsIn(params);
    const [first = emptyEdit] = edits;
    if (first.old_string === '') return this.#planNew(target, first.new_string);
    if (!exists(target)) {
      const missing = await explainMissing(this.host, target.path, { hidden: this.options.hidden, signal });
      throw new ToolError('not_found', `${missing} To create it, send an empty old_string.`);
    }
    const replacements = edits.map(
      (edit): Replacement => ({
        oldText: edit.old_string,
        newText: edit.new_string,
        replaceAll: edit.replace_all ?? false,
        expected: params.expected_replacements,
        madeBefore: this.#made.has(madeKey(target.realPath, edit)),
      }),
    );
    const { planReplacement, planReplacements } = await import('./text-change/replacement.js');
    const [only] = replacements;
    return only && replacements.length === 1
      ? planReplacement(target, only, this.#needs)
      : planReplacements(target, replacements, this.#needs);
  }

  async #planNew(target: Target, content: string): Promise<TextPlan> {
    refuseUnsaved(target, this.options.seen);
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
      return { llmContent: ['Nothing to change.', ...notes].join(' '), returnDisplay: 'Nothing to change.' };
    const reapply = plan.writtenByUser ? undefined : reapplying(params);
    const done = await commitPlan({ ...plan, planned }, { needs: this.#needs, reapply, signal });
    if (!plan.writtenByUser)
      for (const edit of editsIn(params)) this.#remember(madeKey(plan.target.realPath, edit));
    return resultOfChange(done, {
      headline: headline(done.plan),
      places: snippets(done.plan),
      nothingLeft: 'No changes were needed.',
    });
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

const emptyEdit: OneEdit = { old_string: '', new_string: '' };
const EMPTY_AMONG_SEVERAL =
  'old_string is empty, which creates a file. Give the text to replace, or create the file with a call of its own.';

function editsIn({ edits, old_string = '', new_string = '', replace_all }: EditParams): OneEdit[] {
  return edits ?? [{ old_string, new_string, replace_all }];
}

function missingText({ old_string, new_string }: EditParams): string | null {
  if (old_string !== undefined && new_string !== undefined) return null;
  const missing = old_string === undefined ? 'old_string' : 'new_string';
  return `${missing} is missing. Send old_string and new_string, or edits for several places.`;
}

function problemOf({ old_string, new_string }: OneEdit): string | null {
  if (old_string === new_string && old_string !== '') {
    return 'old_string and new_string are the same text, so nothing would change. Put the changed text into new_string.';
  }
  if (old_string !== '' && old_string.trim() === '') {
    return 'old_string is only whitespace, which is everywhere. Include some of the text next to it.';
  }
  return null;
}

/** Applies the edits again to another version. A single place is found by its text; several must be those of the version that was seen. */
function reapplying(params: EditParams): Reapply {
  const edits = editsIn(params);
  return async (original) => {
    const { replaceText } = await import('./text-change/replace/replace.js');
    let text = original;
    let all: TextEdit[] = [];
    for (const { old_string, new_string, replace_all } of edits) {
      if (old_string === '' || replace_all || (params.expected_replacements ?? 1) > 1) return null;
      const outcome = await replaceText({ text, oldText: old_string, newText: new_string });
      if (outcome.kind !== 'replaced') return null;
      all = composeEdits(original.length, all, outcome.edits);
      text = applyEdits(text, outcome.edits);
    }
    return all;
  };
}

/** Short, because the texts may have megabytes. */
function madeKey(path: string, { old_string, new_string }: OneEdit): string {
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
