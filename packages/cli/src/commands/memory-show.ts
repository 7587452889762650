import {
  type ContextNode,
  type ContextState,
  formatBytes,
  openContextFiles,
  type Toolbox,
  terminalSafe,
  terminalSafeJson,
} from '@toolwright/core';
import type { Arguments } from '../args.js';
import { exitCodes } from '../exit-codes.js';
import { abortOnInterrupt } from '../interrupts.js';
import { type RememberedFacts, rememberedFacts } from '../remembered-facts.js';
import { loadSetup, openToolbox, type Setup } from '../runtime.js';

/** What the model is told in this workspace before it starts, and which facts are where. */
export async function show(parsed: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const setup = await loadSetup(parsed);
  const toolbox = await openToolbox(parsed, { front: 'memory' }, setup);
  try {
    const shown = await look(toolbox, setup, signal);
    process.stdout.write(
      parsed.switches.has('json')
        ? `${terminalSafeJson(printed(shown), 2)}\n`
        : terminalSafe(describe(shown, 'toolwright memory forget')),
    );
    return exitCodes.done;
  } finally {
    await toolbox.close();
  }
}

/** The same for a conversation, as text. */
export async function describeMemory(toolbox: Toolbox, setup: Setup, signal: AbortSignal): Promise<string> {
  return describe(await look(toolbox, setup, signal), '/memory forget');
}

async function look(toolbox: Toolbox, setup: Setup, signal: AbortSignal): Promise<Shown> {
  const { host, state, permission } = toolbox;
  const { fileName, importDepth } = setup.loaded.settings.context;
  const context = await openContextFiles({
    host,
    state,
    policy: permission.refusalUnasked,
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
    remembered: await rememberedFacts(toolbox, setup, signal),
  };
}

function printed({ remembered, files, ...shown }: Shown): object {
  return { v: 1, ...shown, files: files.map(withoutText), facts: remembered.facts };
}

interface Shown {
  workspace: string;
  trusted: boolean;
  bytes: number;
  maxBytes: number;
  files: ContextNode[];
  remembered: RememberedFacts;
}

/** `forget` is how a fact is removed. */
function describe(shown: Shown, forget: string): string {
  const { workspace, trusted, bytes, maxBytes, files, remembered } = shown;
  const lines = files.flatMap((file) => treeLines(file, 1));
  const label = trusted
    ? ''
    : ' (not trusted: its files are given to the model as data, not as instructions)';
  return [
    `Context files for ${workspace}${label}`,
    ...(lines.length > 0 ? lines : ['  none']),
    `Together ${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}. Those of inner folders are added when a tool first touches them.`,
    '',
    ...factLines(remembered, forget),
    '',
  ].join('\n');
}

function treeLines(node: ContextNode, depth: number): string[] {
  const { reference, shown, state, bytes, imports } = node;
  const name = reference === undefined ? shown : `@${reference}`;
  const said = state === 'included' ? formatBytes(bytes) : stateWords[state];
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

function factLines({ stores, facts }: RememberedFacts, forget: string): string[] {
  if (facts.length === 0) return ['No facts are remembered.'];
  const groups = (['global', 'project'] as const).flatMap((scope) => {
    const own = facts.filter((fact) => fact.scope === scope);
    if (own.length === 0) return [];
    return [
      `Facts in ${stores[scope].shown} (${scope})`,
      ...own.map(({ number, fact }) => `${String(number).padStart(4)}  ${fact}`),
    ];
  });
  return [...groups, `To remove one: ${forget} NUMBER`];
}

function withoutText({ text: _text, imports, ...node }: ContextNode): object {
  return { ...node, imports: imports.map(withoutText) };
}
