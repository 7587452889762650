import { pathToFileURL } from 'node:url';
import { plural } from '@toolwright/machine/base/amounts.js';
import type { FileDiffEntry } from '@toolwright/machine/base/content.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { TextEdit } from '@toolwright/machine/base/text-codec.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import { type LspRange, listIn, pathIn, rangeIn } from '@toolwright/machine/host/language-server/protocol.js';
import { refuseUnsaved } from '../text-change/editor-text.js';
import type { SeenFiles } from '../text-change/seen-files.js';
import { exists, loadTarget, planEdits, type TextChangeHost } from '../text-change/text-plan.js';
import { textEdits } from './positions.js';
import type { NamedPlace } from './questions.js';

/** A rename in all files, made once: shown, decided on, committed. */
export interface RenamePlan {
  planned: PlannedChanges;
  places: number;
}

interface RenamedFile {
  path: string;
  edits: { range: LspRange; newText: string }[];
}

interface Names {
  /** The name as it is written in the files. */
  symbol: string;
  newName: string;
}

interface RenameNeeds {
  host: TextChangeHost;
  seen?: SeenFiles | undefined;
}

export async function planRename(
  { server, path, position, signal }: NamedPlace,
  { symbol, newName }: Names,
  { host, seen }: RenameNeeds,
): Promise<RenamePlan> {
  const params = { textDocument: { uri: pathToFileURL(path).href }, position, newName };
  const edit = await server.request('textDocument/rename', params, signal);
  const files = filesIn(edit);
  if (files.length === 0)
    throw new ToolError(
      'failed',
      'The language server renames nothing at this place. Name another place, or change the text itself.',
    );
  const parts: { file: PlannedFile; diff: FileDiffEntry[] }[] = [];
  for (const file of files) parts.push(await planFile(file, { host, seen, symbol, signal }));
  const planned = await planChanges({
    id: host.ids.next(),
    files: parts.map(({ file }) => file),
    show: host.workspace.show,
    diff: { kind: 'diff', files: parts.flatMap(({ diff }) => diff) },
  });
  return { planned, places: files.reduce((sum, { edits }) => sum + edits.length, 0) };
}

async function planFile(
  { path, edits }: RenamedFile,
  { host, seen, symbol, signal }: RenameNeeds & { symbol: string; signal: AbortSignal },
): Promise<{ file: PlannedFile; diff: FileDiffEntry[] }> {
  const target = await loadTarget(host, path, signal);
  refuseUnsaved(target, seen);
  const found = exists(target) ? textEdits(target.file.decoded.text, edits) : null;
  if (!exists(target) || !found?.every((edit) => isOfName(edit, symbol, target.file.decoded.text)))
    throw new ToolError(
      'conflict',
      `${target.shown} is not what the language server has seen, so nothing was renamed. Repeat the call.`,
    );
  const { bytes, planned } = await planEdits(host, target, found);
  return {
    file: { path: target.realPath, before: target.file, after: { bytes } },
    diff: planned?.diff.files ?? [],
  };
}

/** The place holds the name, or is right beside it where only something is put in: the long form of a short field. */
function isOfName({ start, end }: TextEdit, symbol: string, text: string): boolean {
  if (end > start) return text.slice(start, end).includes(symbol);
  return text.startsWith(symbol, start) || text.slice(0, start).endsWith(symbol);
}

/** The files of a workspace edit. Files are never made, moved or removed by a rename. */
function filesIn(edit: unknown): RenamedFile[] {
  if (!isJsonObject(edit)) return [];
  const changes = listIn(edit['documentChanges']);
  if (changes.some((each) => isJsonObject(each) && 'kind' in each))
    throw new ToolError(
      'failed',
      `The language server would move ${plural(changes.length, 'file')} for this name. Move them with a command, then change the names.`,
    );
  const byUri: [unknown, unknown][] =
    changes.length > 0
      ? changes.flatMap((each) =>
          isJsonObject(each) ? [[uriIn(each['textDocument']), each['edits']] as [unknown, unknown]] : [],
        )
      : Object.entries(isJsonObject(edit['changes']) ? edit['changes'] : {});
  return byUri.flatMap(([uri, edits]) => {
    const path = pathIn(uri);
    return path === null ? [] : [{ path, edits: listIn(edits).flatMap(editIn) }];
  });
}

function uriIn(document: unknown): unknown {
  return isJsonObject(document) ? document['uri'] : undefined;
}

function editIn(value: unknown): RenamedFile['edits'] {
  if (!isJsonObject(value)) return [];
  const { newText } = value;
  const range = rangeIn(value['range']);
  return range && typeof newText === 'string' ? [{ range, newText }] : [];
}
