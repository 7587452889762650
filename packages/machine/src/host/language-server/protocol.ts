import { fileURLToPath } from 'node:url';
import { orNull } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json.js';

/** Words of the language server protocol, as far as they are used here. Lines and columns count from 0, columns in UTF-16 units. */
export interface LspPosition {
  line: number;
  character: number;
}

export interface LspRange {
  start: LspPosition;
  end: LspPosition;
}

export interface LspLocation {
  path: string;
  range: LspRange;
}

/** An error that a server found; warnings and hints are left out. */
export interface SourceError {
  range: LspRange;
  message: string;
  code: string;
}

export function rangeIn(value: unknown): LspRange | null {
  if (!isJsonObject(value)) return null;
  const [start, end] = [positionIn(value['start']), positionIn(value['end'])];
  return start && end && { start, end };
}

function positionIn(value: unknown): LspPosition | null {
  if (!isJsonObject(value)) return null;
  const { line, character } = value;
  return typeof line === 'number' && typeof character === 'number' ? { line, character } : null;
}

/** The path of a file address; null for any other address. */
export function pathIn(uri: unknown): string | null {
  return typeof uri === 'string' && uri.startsWith('file:') ? orNull(() => fileURLToPath(uri)) : null;
}

/** A location, or a link to one. */
export function locationIn(value: unknown): LspLocation | null {
  if (!isJsonObject(value)) return null;
  const path = pathIn(value['uri'] ?? value['targetUri']);
  const range = rangeIn(value['range'] ?? value['targetSelectionRange']);
  return path === null || range === null ? null : { path, range };
}

export function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

const ERROR = 1;

/** The errors among the diagnostics of a file. */
export function errorsIn(value: unknown): SourceError[] {
  return listIn(value).flatMap((item) => {
    if (!isJsonObject(item) || (item['severity'] ?? ERROR) !== ERROR) return [];
    const range = rangeIn(item['range']);
    const { message, code } = item;
    if (!range || typeof message !== 'string') return [];
    return [{ range, message, code: code === undefined ? '' : String(code) }];
  });
}

/** The part of the settings under a name such as `python.analysis`; all of them where none is named. */
function sectionOf(settings: JsonObject, item: unknown): unknown {
  const section = isJsonObject(item) ? item['section'] : undefined;
  if (typeof section !== 'string' || section === '') return settings;
  let found: unknown = settings[section] ?? settings;
  if (found !== settings) return found;
  for (const name of section.split('.')) found = isJsonObject(found) ? found[name] : undefined;
  return found ?? null;
}

/** The answers to what servers ask of an editor. Nothing here changes anything. */
export function answerTo(
  method: string,
  params: unknown,
  { folders, settings }: { folders: readonly JsonObject[]; settings: JsonObject },
): unknown {
  switch (method) {
    case 'workspace/configuration':
      return listIn(isJsonObject(params) ? params['items'] : []).map((item) => sectionOf(settings, item));
    case 'workspace/workspaceFolders':
      return folders;
    case 'workspace/applyEdit':
      return { applied: false };
    case 'client/registerCapability':
    case 'client/unregisterCapability':
    case 'window/workDoneProgress/create':
    case 'window/showMessageRequest':
    case 'workspace/diagnostic/refresh':
    case 'workspace/semanticTokens/refresh':
    case 'workspace/inlayHint/refresh':
    case 'workspace/codeLens/refresh':
      return null;
    default:
      return undefined;
  }
}

/** The capabilities we announce: texts are sent whole, errors are asked for or sent, symbols come as a tree. */
export const clientCapabilities: JsonObject = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: false },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true, resourceOperations: ['rename'] },
    symbol: {},
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true },
    definition: { linkSupport: true },
    references: {},
    hover: { contentFormat: ['plaintext', 'markdown'] },
    rename: { prepareSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
  },
};
