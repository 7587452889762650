import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Caller } from '../../tools/caller/caller.js';

/** A resource that we offer to clients. */
export interface ServedResource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** A pattern of addresses under which we offer resources. */
export interface ServedTemplate extends Omit<ServedResource, 'uri'> {
  uriTemplate: string;
}

/** `blob` is data in Base64. */
export type ServedContent = { uri: string; mimeType?: string } & ({ text: string } | { blob: string });

/** Texts and data that clients of `serveMcp` may read. */
export interface ServedResources {
  list(signal: AbortSignal): Promise<ServedResource[]>;
  readonly templates?: readonly ServedTemplate[];
  /** Null when there is no such resource. */
  read(uri: string, signal: AbortSignal): Promise<ServedContent[] | null>;
  /** Values for a variable of a template that begin as given. */
  complete?(uriTemplate: string, variable: string, value: string): Promise<string[]>;
  /** Tells which resource has changed, or, with null, that the list has. Gives the function that stops it. */
  onChange?(listener: (uri: string | null) => void): () => void;
}

/** A prompt that we offer to clients. */
export interface ServedPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: { name: string; description?: string; required?: boolean }[];
}

/** A message of a prompt. The content is a content block of the protocol. */
export interface ServedMessage {
  role: 'user' | 'assistant';
  content: JsonObject;
}

/** Prompts that clients of `serveMcp` may use. */
export interface ServedPrompts {
  list(): readonly ServedPrompt[];
  /** Null when there is no such prompt. */
  get(name: string, given: PromptRequest): Promise<{ messages: ServedMessage[] } | null>;
  /** Values for an argument of a prompt that begin as given. */
  complete?(name: string, argument: string, value: string): Promise<string[]>;
  onChange?(listener: () => void): () => void;
}

/** The arguments of a client that asked for a prompt. */
export interface PromptRequest {
  arguments: Record<string, string>;
  caller: Caller;
  signal: AbortSignal;
}

/** News for clients that asked for it. */
export type ServedChange = { kind: 'tools' | 'prompts' | 'resources' } | { kind: 'resource'; uri: string };
