import { pathToFileURL } from 'node:url';
import { isJsonObject } from '../../base/json.js';
import { errorsIn, pathIn, type SourceError } from './protocol.js';
import type { Rpc } from './rpc.js';

/** A text that a server sees in place of the file on the disk. */
export interface ShownDocument {
  path: string;
  /** The language as the protocol names it: `typescriptreact`. */
  language: string;
  text: string;
}

export interface Documents {
  show(document: ShownDocument): void;
  leave(path: string): void;
  shown(): readonly string[];
  /** The server sent the errors of a document. */
  published(params: unknown): void;
  /** The next errors that the server sends for a document, for servers that can't be asked. */
  awaitErrors(path: string, signal: AbortSignal): Promise<SourceError[]>;
}

interface Version extends ShownDocument {
  version: number;
}

/** The documents that a server was shown, in their versions. */
export function createDocuments(rpc: Pick<Rpc, 'notify'>): Documents {
  const documents = new Map<string, Version>();
  const errors = createErrorsAhead();

  function show({ path, language, text }: ShownDocument, again = false): number {
    const known = documents.get(path);
    const uri = pathToFileURL(path).href;
    if (known?.text === text && !again) return known.version;
    const version = (known?.version ?? 0) + 1;
    documents.delete(path);
    documents.set(path, { path, language, text, version });
    if (known)
      rpc.notify('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
        // Without it clangd stays silent about a text that it has seen.
        forceRebuild: again || undefined,
      });
    else rpc.notify('textDocument/didOpen', { textDocument: { uri, languageId: language, version, text } });
    return version;
  }

  return {
    show: (document) => void show(document),
    shown: () => [...documents.keys()],
    leave(path) {
      if (documents.delete(path))
        rpc.notify('textDocument/didClose', { textDocument: { uri: pathToFileURL(path).href } });
    },
    published(params) {
      if (!isJsonObject(params)) return;
      const version = typeof params['version'] === 'number' ? params['version'] : Number.POSITIVE_INFINITY;
      errors.publish({ path: pathIn(params['uri']) ?? '', version }, errorsIn(params['diagnostics']));
    },
    async awaitErrors(path, signal) {
      signal.throwIfAborted();
      const document = documents.get(path);
      if (!document) return [];
      // The same text in a new version: files that it needs may have changed since it was shown.
      return errors.next(path, () => show(document, true), signal);
    },
  };
}

interface Listener {
  /** Errors of an older version do not count. */
  version: number;
  heard(errors: SourceError[]): void;
}

/** The errors that a server will send of its own accord. */
function createErrorsAhead() {
  const listeners = new Map<string, Set<Listener>>();
  return {
    publish({ path, version }: { path: string; version: number }, errors: SourceError[]): void {
      for (const listener of listeners.get(path) ?? [])
        if (version >= listener.version) listener.heard(errors);
    },
    /** The next errors of a document, of the version that `show` gives or of a later one. */
    async next(path: string, show: () => number, signal: AbortSignal): Promise<SourceError[]> {
      const waiting = listeners.get(path) ?? new Set();
      listeners.set(path, waiting);
      let listener: Listener | undefined;
      let stop: () => void = () => undefined;
      try {
        return await new Promise<SourceError[]>((resolve, reject) => {
          stop = () => reject(signal.reason);
          signal.addEventListener('abort', stop, { once: true });
          listener = { version: show(), heard: resolve };
          waiting.add(listener);
        });
      } finally {
        signal.removeEventListener('abort', stop);
        if (listener) waiting.delete(listener);
      }
    },
  };
}
