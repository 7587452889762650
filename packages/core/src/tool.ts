/** The entry for authors of tools: what a tool is defined with, and nothing of what runs it. */
export type { FileDiff, FileDiffEntry } from '@toolwright/machine/base/content.js';
export type { Effect } from '@toolwright/machine/base/effect.js';
export { ToolError, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
export type {
  Display,
  DisplayValue,
  FieldsDisplay,
  MarkdownDisplay,
  TableDisplay,
} from './tools/display/display.js';
export {
  type DefinedTool,
  defineTool,
  type ToolContext,
  type ToolDefinition,
  type ToolHost,
} from './tools/own/define-tool.js';
export type { ConfirmationDetails, ToolResult } from './tools/tools.js';
