/**
 * Content that travels between model, tools and user. Structurally the types of `@google/genai`, less its enum-typed
 * fields, so values cross in both directions; `content.test-d.ts` proves it.
 */

export interface Blob {
  mimeType?: string;
  /** Base64. */
  data?: string;
  displayName?: string;
}

export interface FileData {
  mimeType?: string;
  fileUri?: string;
  displayName?: string;
}

export interface FunctionCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
}

export interface FunctionResponsePart {
  inlineData?: Blob;
  fileData?: FileData;
}

/** The response to the model: `response.output` on success, `response.error` on failure. */
export interface FunctionResponse {
  id?: string;
  name?: string;
  response?: Record<string, unknown>;
  parts?: FunctionResponsePart[];
}

export interface FunctionDeclaration {
  name?: string;
  description?: string;
  parametersJsonSchema?: unknown;
}

export interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: Blob;
  fileData?: FileData;
  functionCall?: FunctionCall;
  functionResponse?: FunctionResponse;
}

export type PartUnion = Part | string;
export type PartListUnion = PartUnion | PartUnion[];

export interface Message {
  role: 'user' | 'model';
  parts: Part[];
}

export function toParts(content: PartListUnion): Part[] {
  const list = Array.isArray(content) ? content : [content];
  return list.map((item) => (typeof item === 'string' ? { text: item } : item));
}

/** The text of all parts. An answer comes in pieces of one text; parts of a tool's result are joined by line breaks. */
export function textOf(content: PartListUnion, separator: '' | '\n' = ''): string {
  return toParts(content)
    .flatMap(({ text }) => (text === undefined ? [] : [text]))
    .join(separator);
}

/** One changed file as the user sees it; never whole contents. */
export interface FileDiffEntry {
  path: string;
  change: 'create' | 'modify' | 'delete' | 'symlink' | 'mode';
  /** Unified diff, or a one-line note where there is no text to show (binary, mode, too large). */
  unified: string;
  added: number;
  removed: number;
}

export interface FileDiff {
  kind: 'diff';
  files: FileDiffEntry[];
}

/** Tool names that every provider accepts. One pattern for all, because every start tests each tool's name. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
