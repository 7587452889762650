import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { explainMissing } from '../search/explain-missing.js';
import { refuseCutOff } from '../text-change/cut-off.js';
import {
  commitPlan,
  confirmationOf,
  exists,
  loadTarget,
  planEdits,
  requireSeen,
  type TextChangeHost,
  type TextChangeOptions,
  type TextPlan,
} from '../text-change/text-plan.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from '../tools.js';
import { type CellChange, cellEdits, cellSource } from './cell-edits.js';

type NotebookEditParams = {
  file_path: string;
  action: CellChange['action'];
  cell: number;
  source?: string;
  cell_type?: 'code' | 'markdown' | 'raw';
};

/** Offered once the model has read a notebook. */
export class NotebookEditTool extends BaseTool<NotebookEditParams, TextPlan> {
  constructor(
    private readonly host: TextChangeHost,
    private readonly options: TextChangeOptions,
  ) {
    super({
      name: 'notebook_edit',
      displayName: 'NotebookEdit',
      effectKinds: ['read', 'write'],
      description:
        'Changes one cell of a Jupyter notebook: inserts one, replaces its source, or deletes it. The outputs of a replaced cell ' +
        'are removed, everything else in the file stays as it is. Read the notebook first.',
      parameterSchema: {
        type: 'object',
        properties: {
          file_path: { type: 'string', minLength: 1, description: 'The .ipynb file.' },
          action: { type: 'string', enum: ['insert', 'replace', 'delete'] },
          cell: {
            type: 'integer',
            minimum: 1,
            description: 'Number of the cell as read_file shows it; a new cell gets this number.',
          },
          source: { type: 'string', description: 'The whole source of the cell, for insert and replace.' },
          cell_type: {
            type: 'string',
            enum: ['code', 'markdown', 'raw'],
            description: 'For insert. Default: code.',
          },
        },
        required: ['file_path', 'action', 'cell'],
      },
      parameterAliases: { file_path: ['absolute_path', 'path', 'notebook_path'], source: ['new_source'] },
    });
  }

  override getDescription({ action, cell, file_path }: NotebookEditParams): string {
    const verbs = { insert: 'Insert', replace: 'Replace', delete: 'Delete' };
    return `${verbs[action]} cell ${cell} of ${file_path}`;
  }

  override effects({ file_path }: NotebookEditParams): Effect[] {
    const path = this.host.workspace.resolve(file_path);
    return [
      { kind: 'read', path },
      { kind: 'write', path },
    ];
  }

  protected override problem({ action, source }: NotebookEditParams): string | null {
    return action !== 'delete' && source === undefined
      ? 'source is missing: give the whole source of the cell.'
      : null;
  }

  protected override async makePlan(params: NotebookEditParams, signal: AbortSignal): Promise<TextPlan> {
    const { hidden, seen } = this.options;
    const target = await loadTarget(this.host, params.file_path, signal);
    if (!exists(target))
      throw new ToolError('not_found', await explainMissing(this.host, target.path, { hidden, signal }));
    requireSeen(target, seen);
    const { source = '' } = params;
    const { text } = target.file.decoded;
    const replaced = params.action === 'replace' ? cellSource(text, params.cell) : null;
    refuseCutOff({ name: 'source', text: source, replaced, shown: target.shown });
    const edits = cellEdits(text, this.#change(params));
    if (edits === null)
      throw new ToolError('failed', `${target.shown} is not a notebook of format 4. Change it as text.`);
    return planEdits(this.host, target, edits);
  }

  #change({ action, cell, source = '', cell_type: type = 'code' }: NotebookEditParams): CellChange {
    switch (action) {
      case 'insert':
        return {
          action,
          cell,
          source,
          type,
          id: this.host.ids
            .next()
            .replace(/[^A-Za-z0-9_-]/g, '')
            .slice(-32),
        };
      case 'replace':
        return { action, cell, source };
      case 'delete':
        return { action, cell };
    }
  }

  protected override async confirmation(
    params: NotebookEditParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails> {
    return confirmationOf(await this.plan(params, signal), this.getDescription(params));
  }

  protected override async run(params: NotebookEditParams, signal: AbortSignal): Promise<ToolResult> {
    const plan = await this.plan(params, signal);
    const { planned, target } = plan;
    if (!planned)
      return {
        llmContent: `Cell ${params.cell} of ${target.shown} is that already.`,
        returnDisplay: 'Nothing to change.',
      };
    const done = await commitPlan(
      { ...plan, planned },
      { needs: { ...this.options, host: this.host }, signal },
    );
    return {
      llmContent: doneWords(params, target.shown),
      returnDisplay: done.plan.planned?.diff ?? 'No changes were needed.',
      changeSet: done.changeSet,
    };
  }
}

function doneWords({ action, cell, source = '' }: NotebookEditParams, shown: string): string {
  const lines = plural(source === '' ? 0 : source.split('\n').length, 'line');
  switch (action) {
    case 'insert':
      return `Inserted cell ${cell} (${lines}) in ${shown}; later cells are numbered one higher now.`;
    case 'replace':
      return `Replaced the source of cell ${cell} in ${shown} (${lines}) and removed its outputs.`;
    case 'delete':
      return `Deleted cell ${cell} of ${shown}; later cells are numbered one lower now.`;
  }
}
