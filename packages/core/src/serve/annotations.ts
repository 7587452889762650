import type { ToolOrigin } from '../tools/tool-registry.js';
import type { Tool } from '../tools/tools.js';

/** Hints for another agent; they grant nothing. */
export interface ToolHints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Nothing is claimed of tools that are not built in: by the protocol they count as able to do anything. */
export function hintsOf({ effectKinds: kinds }: Pick<Tool, 'effectKinds'>, origin: ToolOrigin): ToolHints {
  if (kinds === undefined || origin.kind !== 'builtin') return {};
  const openWorldHint = kinds.some((kind) => kind === 'network' || kind === 'execute');
  if (kinds.every((kind) => kind === 'read' || kind === 'network'))
    return { readOnlyHint: true, openWorldHint };
  // A fact is added once and removes nothing.
  const isAdding = kinds.every((kind) => kind === 'memory');
  return { readOnlyHint: false, destructiveHint: !isAdding, idempotentHint: isAdding, openWorldHint };
}
