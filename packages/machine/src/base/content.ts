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

/** A reference to a file that a model can read by its address. */
export interface FileData {
  mimeType?: string;
  fileUri?: string;
  displayName?: string;
}

/** A call as a model asks for it. */
export interface FunctionCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
}

/** Media that accompany a response. */
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

/** A tool as a model is told of it. */
export interface FunctionDeclaration {
  name?: string;
  description?: string;
  parametersJsonSchema?: unknown;
}

/** A piece of a message: text, a thought, media, a call or a response. */
export interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: Blob;
  fileData?: FileData;
  functionCall?: FunctionCall;
  functionResponse?: FunctionResponse;
}

/** A part, or text that stands for one. */
export type PartUnion = Part | string;
/** Content in any of the forms that a tool may give it in. */
export type PartListUnion = PartUnion | PartUnion[];

/** A message of a conversation. */
export interface Message {
  role: 'user' | 'model';
  parts: Part[];
}

/** Content in any form as a list of parts. */
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

/** The text of an answer, without the thoughts before it. */
export function answerTextOf(parts: readonly Part[]): string {
  return textOf(parts.filter(({ thought }) => !thought));
}

/** A changed file as the user sees it; never whole contents. */
export interface FileDiffEntry {
  path: string;
  change: 'create' | 'modify' | 'delete' | 'symlink' | 'mode';
  /** Unified diff, or a one-line note where there is no text to show (binary, mode, too large). */
  unified: string;
  added: number;
  removed: number;
}

/** The display of changed files: one entry for each. */
export interface FileDiff {
  kind: 'diff';
  files: FileDiffEntry[];
}

/** Tool names that every provider accepts. One pattern for all, because every start tests each tool's name. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
