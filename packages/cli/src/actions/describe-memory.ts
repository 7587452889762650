import { basename } from 'node:path';
import type { Toolbox } from '@toolwright/core';
import {
  type ContextNode,
  type ContextState,
  formatBytes,
  openContextFiles,
} from '@toolwright/core/front-end';
import type { Setup } from '../setup/runtime.js';
import { type RememberedFacts, rememberedFacts } from './memory.js';
import type { Prefix } from './report.js';

/** Context files that the model gets in this workspace, and the remembered facts. */
export interface MemoryView {
  workspace: string;
  trusted: boolean;
  bytes: number;
  maxBytes: number;
  files: ContextNode[];
  /** Context files of extensions. */
  notes: Toolbox['pieces']['noteFiles'];
  remembered: RememberedFacts;
}

export async function viewMemory(toolbox: Toolbox, setup: Setup, signal: AbortSignal): Promise<MemoryView> {
  const { host, state, permission, pieces } = toolbox;
  const { fileName, importDepth } = setup.loaded.settings.context;
  const context = await openContextFiles({
    host,
    state,
    policy: permission.refusalWithoutAsking,
    fileNames: fileName,
    importDepth,
    trusted: setup.trusted,
  });
  const { text, files } = await context.initial(signal);
  return {
    workspace: host.workspace.directory,
    trusted: setup.trusted,
    bytes: Buffer.byteLength(text),
    maxBytes: context.maxBytes,
    files,
    notes: pieces.noteFiles,
    remembered: await rememberedFacts(toolbox, setup, signal),
  };
}

export function memoryJson({ remembered, files, ...view }: MemoryView): object {
  return { v: 1, ...view, files: files.map(withoutText), facts: remembered.facts };
}

export function describeMemory(view: MemoryView, prefix: Prefix): string {
  const { workspace, trusted, bytes, maxBytes, files, notes, remembered } = view;
  const lines = files.flatMap((file) => treeLines(file, 1));
  const label = trusted
    ? ''
    : ' (not trusted: its files are given to the model as data, not as instructions)';
  return [
    `Context files for ${workspace}${label}`,
    ...(lines.length > 0 ? lines : ['  none']),
    `Together ${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}. Those of inner folders are added when a tool first touches them.`,
    ...(notes.length > 0 ? ['', 'Notes of extensions', ...notes.map(noteLine)] : []),
    '',
    ...factLines(remembered, prefix),
  ].join('\n');
}

const givenWords: Record<MemoryView['notes'][number]['given'], string> = {
  whole: 'in each request',
  named: 'each request says where it is',
  found: 'found by a query of the tool skill',
};

function noteLine({ extension, path, bytes, given }: MemoryView['notes'][number]): string {
  return `  ${basename(path)} of ${extension}  ${formatBytes(bytes)}, ${givenWords[given]}`;
}

function treeLines(node: ContextNode, depth: number): string[] {
  const { reference, shown, state, bytes, imports, inPlaceOf } = node;
  const name = reference === undefined ? shown : `@${reference}`;
  const size = state === 'included' ? formatBytes(bytes) : stateWords[state];
  const said = inPlaceOf === undefined ? size : `${size} (its folder has no ${inPlaceOf})`;
  return [
    `${'  '.repeat(depth)}${name}  ${said}`,
    ...imports.flatMap((child) => treeLines(child, depth + 1)),
  ];
}

const stateWords: Record<Exclude<ContextState, 'included'>, string> = {
  repeated: '(included above)',
  cycle: '(imports itself; cut)',
  missing: '(no such file; left as text)',
  outside: '(outside of the project; left as text)',
  'too-deep': '(nested too deep; left as text)',
  'not-text': '(not a text file; left as text)',
  refused: "(can't be read)",
  'no-room': '(left out: the context files are too large together)',
};

function factLines({ stores, facts }: RememberedFacts, prefix: Prefix): string[] {
  if (facts.length === 0) return ['No facts are remembered.'];
  const groups = (['global', 'project'] as const).flatMap((scope) => {
    const own = facts.filter((fact) => fact.scope === scope);
    if (own.length === 0) return [];
    return [
      `Facts in ${stores[scope].shown} (${scope})`,
      ...own.map(({ number, fact }) => `${String(number).padStart(4)}  ${fact}`),
    ];
  });
  return [...groups, `To remove one: ${prefix}memory forget NUMBER`];
}

function withoutText({ text: _text, imports, ...node }: ContextNode): object {
  return { ...node, imports: imports.map(withoutText) };
}
