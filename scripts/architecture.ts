import { dirname, join, normalize } from 'node:path/posix';

/** Path relative to the repository to source text. */
export type Sources = ReadonlyMap<string, string>;

const CORE = 'packages/core/src/';
const CLI = 'packages/cli/src/';

/**
 * Each layer imports only the ones named before it.
 *
 * @public scripts/house/walk.mjs reads it.
 */
export const LAYERS = [
  'base',
  'shell',
  'host',
  'memory',
  'changes',
  'model',
  'mcp',
  'tools',
  'permission',
  'scheduler',
  'session',
  'agent',
  'serve',
  'create-commands',
  'create-toolbox',
  'create-agent',
];

/** Outside the order: what each may import, and who may import it. */
const SIDE_ROOMS: Record<string, { imports: string[]; importedBy: string[] }> = {
  settings: {
    imports: ['base', 'host', 'settings'],
    importedBy: ['settings', 'create-toolbox', 'create-agent', 'index', 'testing'],
  },
  trust: {
    imports: ['base', 'host', 'trust'],
    importedBy: ['trust', 'create-toolbox', 'create-agent', 'index', 'testing'],
  },
  testing: { imports: [...LAYERS, 'settings', 'trust', 'testing'], importedBy: ['testing'] },
  index: { imports: [...LAYERS, 'settings', 'trust'], importedBy: [] },
};

const MAX_LINES = 400;
const MAX_FILES_PER_FOLDER = 16;
const FORBIDDEN_FOLDERS = /\/(utils?|helpers?|services?|common|misc|lib)\//;

/** Every breach of the house rules, one sentence each. */
export function findViolations(sources: Sources): string[] {
  const graph = importGraph(sources);
  return [
    ...layerViolations(graph),
    ...cycleViolations(graph),
    ...sizeViolations(sources),
    ...roomViolations(sources),
  ];
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Imports between files of ours, type-only and dynamic ones included. */
export function importGraph(sources: Sources): Graph {
  const graph = new Map<string, string[]>();
  for (const [path, text] of sources) {
    const targets = importedSpecifiers(text).flatMap((specifier) => resolveImport(path, specifier, sources));
    graph.set(path, [...new Set(targets)]);
  }
  return graph;
}

function importedSpecifiers(text: string): string[] {
  const statement =
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;
  return [...text.matchAll(statement)].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
}

function resolveImport(from: string, specifier: string, sources: Sources): string[] {
  if (specifier === '@toolwright/core') return [`${CORE}index.ts`];
  if (specifier === '@toolwright/core/testing') return [`${CORE}testing/index.ts`];
  if (!specifier.startsWith('.')) return [];
  const target = normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts');
  return sources.has(target) ? [target] : [];
}

function roomOf(path: string): string {
  const inside = path.slice(CORE.length);
  return inside.includes('/') ? (inside.split('/')[0] as string) : inside.replace(/\.ts$/, '');
}

function isTest(path: string): boolean {
  return /\.(long\.)?test\.ts$|\.test-d\.ts$/.test(path) || path.includes('/fixtures/');
}

function layerViolations(graph: Graph): string[] {
  const violations: string[] = [];
  for (const [from, targets] of graph) {
    if (isTest(from)) continue;
    for (const to of targets) {
      const problem = from.startsWith(CORE) ? coreProblem(from, to) : cliProblem(from, to);
      if (problem) violations.push(`${from} imports ${to}: ${problem}`);
    }
  }
  return violations;
}

function coreProblem(from: string, to: string): string | null {
  if (!to.startsWith(CORE)) return 'core must not import the CLI';
  const [source, target] = [roomOf(from), roomOf(to)];
  const side = SIDE_ROOMS[source];
  if (side && !side.imports.includes(target)) return `${source} may import only ${side.imports.join(', ')}`;
  const guarded = SIDE_ROOMS[target];
  if (guarded && !guarded.importedBy.includes(source))
    return `${target} may be imported only by ${guarded.importedBy.join(', ')}`;
  if (side || guarded) return null;
  const [sourceLayer, targetLayer] = [LAYERS.indexOf(source), LAYERS.indexOf(target)];
  if (sourceLayer === -1 || targetLayer === -1)
    return `there is no layer ${sourceLayer === -1 ? source : target}`;
  return targetLayer > sourceLayer ? `${target} comes after ${source} in the layer order` : null;
}

function cliProblem(from: string, to: string): string | null {
  if (!from.startsWith(CLI) || to.startsWith(CLI)) return null;
  const isPublic = to === `${CORE}index.ts` || to === `${CORE}testing/index.ts`;
  return isPublic ? null : 'the CLI uses the public names of @toolwright/core only';
}

function cycleViolations(graph: Graph): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const violations: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      violations.push(`Import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    state.set(path, 'open');
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path, []);
  return violations;
}

function sizeViolations(sources: Sources): string[] {
  const violations: string[] = [];
  const perFolder = new Map<string, number>();
  for (const [path, text] of sources) {
    const lines = text.split('\n').length - 1;
    if (lines > MAX_LINES && !path.includes('/fixtures/'))
      violations.push(`${path} has ${lines} lines; the limit is ${MAX_LINES}`);
    if (!isTest(path)) perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1);
  }
  for (const [folder, count] of perFolder) {
    if (count > MAX_FILES_PER_FOLDER)
      violations.push(`${folder} has ${count} files; the limit is ${MAX_FILES_PER_FOLDER}`);
  }
  return violations;
}

function roomViolations(sources: Sources): string[] {
  const violations: string[] = [];
  for (const path of sources.keys()) {
    if (FORBIDDEN_FOLDERS.test(path)) violations.push(`${path}: folders are named after phases or doors`);
    const isBarrel =
      path.endsWith('/index.ts') && path !== `${CORE}index.ts` && path !== `${CORE}testing/index.ts`;
    if (isBarrel) violations.push(`${path}: only the package entries are called index.ts`);
  }
  return violations;
}
