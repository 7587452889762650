import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { HookFormat } from '../pieces/hooks/hook.js';
import type { PieceProblem } from '../pieces/piece.js';

export type ExtensionFormat = 'agent-plugin' | 'claude' | 'qwen' | 'gemini' | 'mcpb';

/** The formats of extensions as people call them. */
export const formatNames: Record<ExtensionFormat, string> = {
  'agent-plugin': 'Agent Plugins 1.0',
  claude: 'plugin of Claude Code',
  qwen: 'extension of Qwen Code',
  gemini: 'extension of Gemini CLI',
  mcpb: 'MCP bundle',
};

/** A folder of an extension in which pieces lie. */
export interface BroughtFolder {
  /** Relative to the extension; empty for its own folder. */
  path: string;
  /** The only names in it that are meant. */
  only?: string[];
}

/** A value that servers of an extension take from the environment of the user. */
export interface ExtensionVariable {
  name: string;
  description: string;
  isRequired: boolean;
  default?: string;
  /** It is a list, with this sign between its values. */
  separator?: ':' | ',';
}

/** The content of an extension, whatever format it was written in. Only its manifest has been read. */
export interface Extension {
  name: string;
  version: string;
  description: string;
  format: ExtensionFormat;
  /** Relative path of the manifest. */
  manifest: string;
  skills: BroughtFolder[];
  commands: BroughtFolder[];
  agents: BroughtFolder[];
  tools: BroughtFolder[];
  hooks: { path: string; format: HookFormat }[];
  /** Servers by name, as they are written; placeholders are filled in when they start. */
  servers: Record<string, JsonObject>;
  /** Context files. */
  context: string[];
  /** Tools that the model is to do without. */
  excludeTools: string[];
  variables: ExtensionVariable[];
}

/** A part of a manifest that means nothing here. */
export interface UnusedPart {
  what: string;
  why: string;
}

/** An extension as it was read, with what is not used of it and what is wrong with it. */
export interface ReadExtension {
  extension: Extension;
  unused: UnusedPart[];
  /** Each costs only the part that it is about. */
  problems: PieceProblem[];
}

export const EXTENSION_NAME = /^[a-z0-9](?:[a-z0-9]|[-._](?=[a-z0-9]))*$/i;
export const LONGEST_EXTENSION_NAME = 64;
