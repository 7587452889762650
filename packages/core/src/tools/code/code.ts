import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { effectsOf } from '@toolwright/machine/changes/change-set.js';
import { ServerFailure } from '@toolwright/machine/host/language-server/rpc.js';
import type { Languages } from '../../languages/languages.js';
import type { ServedFile } from '../../languages/running-servers.js';
import type { TextChangeHost, TextChangeOptions } from '../text-change/text-plan.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from '../tools.js';
import { planRename, type RenamePlan } from './plan-rename.js';
import { findName } from './positions.js';
import {
  bounded,
  callsOf,
  definitionOf,
  hoverOf,
  type NamedPlace,
  type PlaceWords,
  referencesOf,
  searchSymbols,
  symbolsOf,
} from './questions.js';

type CodeParams = {
  action: 'definition' | 'references' | 'hover' | 'calls' | 'symbols' | 'rename';
  file_path?: string;
  symbol?: string;
  line?: number;
  new_name?: string;
};

interface CodeNeeds extends Pick<TextChangeOptions, 'commit' | 'seen'> {
  languages: Languages;
  hidden(path: string): boolean;
}

/** Offered once a language server works. */
export class CodeTool extends BaseTool<CodeParams, RenamePlan> {
  constructor(
    private readonly host: TextChangeHost,
    private readonly needs: CodeNeeds,
  ) {
    super({
      name: 'code',
      displayName: 'Code',
      effectKinds: ['read', 'write'],
      description:
        'Asks the language server about a name in a source file: its definition, references, what it is (hover), its callers ' +
        'and callees (calls), or renames it in all files. symbols lists the names of a file, or finds names of the whole ' +
        'workspace where file_path is left out. More exact than a search by text.',
      parameterSchema: {
        type: 'object',
        properties: {
          action: {
            type: 'string',
            enum: ['definition', 'references', 'hover', 'calls', 'symbols', 'rename'],
          },
          file_path: { type: 'string', minLength: 1, description: 'A file that contains the name.' },
          symbol: { type: 'string', minLength: 1, description: 'The name.' },
          line: {
            type: 'integer',
            minimum: 1,
            description: 'The line of the name; default: its first place.',
          },
          new_name: { type: 'string', minLength: 1, description: 'For rename.' },
        },
        required: ['action'],
      },
      parameterAliases: { file_path: ['absolute_path', 'path'] },
    });
  }

  override getDescription({ action, file_path = '', symbol = '', new_name }: CodeParams): string {
    if (action === 'rename') return `Rename ${symbol} to ${new_name} wherever it is used`;
    if (action === 'symbols')
      return file_path === '' ? `Find names with ${symbol}` : `List the names in ${file_path}`;
    const verbs = {
      definition: 'Find the definition',
      references: 'Find the uses',
      hover: 'Look up the meaning',
      calls: 'Find the callers and callees',
    };
    return `${verbs[action]} of ${symbol} in ${file_path}`;
  }

  /** The files that a rename changes are known with its plan. */
  override effects({ action, file_path }: CodeParams): Effect[] {
    const path = this.host.workspace.resolve(file_path ?? '.');
    const read: Effect = { kind: 'read', path };
    return action === 'rename' ? [read, { kind: 'write', path }] : [read];
  }

  protected override problem({ action, file_path, symbol, new_name }: CodeParams): string | null {
    if (file_path === undefined && (action !== 'symbols' || symbol === undefined))
      return 'file_path is missing: name a file where the name stands.';
    if (action !== 'symbols' && symbol === undefined)
      return 'symbol is missing: give the name as it is written there.';
    if (action === 'rename' && new_name === undefined) return 'new_name is missing.';
    return null;
  }

  protected override makePlan(params: CodeParams, signal: AbortSignal): Promise<RenamePlan> {
    const { symbol = '', new_name: newName = '' } = params;
    const needs = { host: this.host, seen: this.needs.seen };
    return this.#ask(params, signal, (place) => planRename(place, { symbol, newName }, needs));
  }

  protected override async confirmation(
    params: CodeParams,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails | false> {
    if (params.action !== 'rename') return false;
    const { planned } = await this.plan(params, signal);
    return {
      kind: 'edit',
      title: this.getDescription(params),
      diff: planned.diff,
      effects: effectsOf(planned.changeSet),
    };
  }

  protected override async run(params: CodeParams, signal: AbortSignal): Promise<ToolResult> {
    if (params.action === 'rename') return this.#rename(params, signal);
    const text = await this.#answer(params, signal);
    return { llmContent: text, returnDisplay: text };
  }

  async #rename(params: CodeParams, signal: AbortSignal): Promise<ToolResult> {
    const { planned, places } = await this.plan(params, signal);
    const changeSet = await this.needs.commit(planned, signal);
    const { changes } = planned.changeSet;
    for (const change of changes) {
      if (change.kind !== 'modify' || !('hash' in change.before)) continue;
      const { hash } = change.after;
      const after = { hash, bytes: await planned.blobs.read(hash) };
      this.needs.seen?.changedByOwn(change.path, { before: change.before.hash, after });
    }
    const files = changes.map(({ path }) => this.host.workspace.show(path));
    const done = `Renamed ${params.symbol} to ${params.new_name}: ${plural(places, 'place')} in ${plural(files.length, 'file')}.`;
    return { llmContent: `${done}\n${bounded(files)}`, returnDisplay: planned.diff, changeSet };
  }

  async #answer(params: CodeParams, signal: AbortSignal): Promise<string> {
    const words: PlaceWords = {
      show: this.host.workspace.show,
      hidden: this.needs.hidden,
      readText: this.needs.languages.readText,
    };
    if (params.action === 'symbols' && params.file_path === undefined)
      return this.#search(params.symbol ?? '', words, signal);
    if (params.action === 'symbols')
      return this.#served(params, signal, (served, path) => symbolsOf({ ...served, path, signal }));
    return this.#ask(params, signal, (place) => {
      switch (params.action) {
        case 'definition':
          return definitionOf(place, words);
        case 'references':
          return referencesOf(place, words);
        case 'calls':
          return callsOf(place, words);
        default:
          return hoverOf(place);
      }
    });
  }

  async #search(query: string, words: PlaceWords, signal: AbortSignal): Promise<string> {
    const lines: string[] = [];
    for (const { path } of this.needs.languages.running()) {
      const found = await this.needs.languages.ask(
        path,
        ({ server }) => searchSymbols(server, query, { words, signal }),
        signal,
      );
      lines.push(...(found ?? []));
    }
    return lines.length === 0 ? `No server knows a name with ${JSON.stringify(query)}.` : bounded(lines);
  }

  async #served<Result>(
    { file_path = '' }: CodeParams,
    signal: AbortSignal,
    question: (served: ServedFile, path: string) => Promise<Result>,
  ): Promise<Result> {
    const path = await this.host.files.realPath(this.host.workspace.resolve(file_path));
    try {
      const answer = await this.needs.languages.ask(path, (served) => question(served, path), signal);
      if (answer !== null) return answer;
    } catch (error) {
      if (!(error instanceof ServerFailure)) throw error;
      throw new ToolError('failed', `The language server could not answer: ${error.message}`);
    }
    throw new ToolError('failed', `No language server works for ${file_path}. Search by text instead.`);
  }

  #ask<Result>(
    params: CodeParams,
    signal: AbortSignal,
    question: (place: NamedPlace) => Promise<Result>,
  ): Promise<Result> {
    const { symbol = '', line, file_path } = params;
    return this.#served(params, signal, async ({ server }, path) => {
      const text = await this.needs.languages.readText(path, signal);
      if (text === null) throw new ToolError('not_found', `${file_path} can't be read as text.`);
      const position = findName(text, symbol, line);
      if (position) return question({ server, path, position, signal });
      const where = line === undefined ? '' : ` on line ${line}`;
      throw new ToolError(
        'not_found',
        `${JSON.stringify(symbol)} is not in ${file_path}${where}. Copy the name from the file.`,
      );
    });
  }
}
