import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ToolOrigin } from '../tools/tool-registry.js';

/** What another agent may take as hints: nothing here grants anything. */
export interface ToolHints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

type EffectKind = Effect['kind'];

/** What calls of the built-in tools can do at most. */
export const builtinEffects: Readonly<Record<string, readonly EffectKind[]>> = {
  list_directory: ['read'],
  read_file: ['read'],
  write_file: ['read', 'write'],
  grep_search: ['read'],
  glob: ['read'],
  edit: ['read', 'write'],
  read_many_files: ['read'],
  run_shell_command: ['execute'],
  web_fetch: ['network'],
  web_search: ['network'],
  save_memory: ['memory'],
  jobs: ['execute'],
};

/** Of tools that are not ours nothing is claimed: by the protocol they count as able to do anything. */
export function hintsOf(name: string, origin: ToolOrigin): ToolHints {
  const kinds = origin.kind === 'builtin' ? builtinEffects[name] : undefined;
  if (kinds === undefined) return {};
  const openWorldHint = kinds.some((kind) => kind === 'network' || kind === 'execute');
  if (kinds.every((kind) => kind === 'read' || kind === 'network'))
    return { readOnlyHint: true, openWorldHint };
  // A fact is added once and removes nothing.
  const isAdding = kinds.every((kind) => kind === 'memory');
  return { readOnlyHint: false, destructiveHint: !isAdding, idempotentHint: isAdding, openWorldHint };
}
