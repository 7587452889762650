import { dirname, join, normalize } from 'node:path/posix';

/** Path relative to the repository to source text. */
export type Sources = ReadonlyMap<string, string>;

interface Package {
  /** Packages it may import. */
  below: readonly string[];
  /** Each room imports only the rooms named before it. */
  rooms: readonly string[];
  /** Rooms outside the order: what each may import, and who may import it. */
  sideRooms?: Record<string, { imports: readonly string[]; importedBy: readonly string[] }>;
  /** The packages that may import any of its files; everybody else uses its entries. */
  opensFilesTo?: readonly string[];
  entries: readonly string[];
}

const coreRooms = [
  'memory',
  'pieces',
  'model',
  'languages',
  'outline-folder',
  'outline',
  'tools',
  'extensions',
  'permission',
  'switching',
  'session',
  'scheduler',
  'question',
  'agent',
  'live',
  'recording',
  'telemetry',
  'stats',
  'serve',
  'apart',
  'options',
  'create-ground',
  'create-guard',
  'create-commands',
  'create-pieces',
  'create-languages',
  'create-script',
  'create-toolbox',
  'create-model',
  'create-subagents',
  'create-agent',
  'replay',
  'eval',
];

/**
 * The house: packages from the bottom to the top.
 *
 * @public scripts/house/*.mjs read it.
 */
export const PACKAGES: Record<string, Package> = {
  machine: {
    below: [],
    rooms: ['base', 'shell', 'host', 'changes', 'run-staged', 'index'],
    sideRooms: {
      testing: { imports: ['base', 'shell', 'host', 'changes', 'testing'], importedBy: ['testing'] },
    },
    opensFilesTo: ['mcp', 'core', 'doctor'],
    entries: ['index'],
  },
  mcp: {
    below: ['machine'],
    rooms: [
      'contract',
      'content',
      'oauth',
      'transports',
      'lists',
      'server-requests',
      'session',
      'calls',
      'server',
      'catalogue',
      'connect-server',
      'index',
    ],
    opensFilesTo: ['core', 'doctor'],
    entries: ['index'],
  },
  core: {
    below: ['machine', 'mcp'],
    rooms: coreRooms,
    sideRooms: {
      settings: {
        imports: ['settings', 'permission', 'model'],
        importedBy: ['settings', 'create-toolbox', 'create-agent', 'front-end', 'testing'],
      },
      trust: {
        imports: ['trust'],
        importedBy: ['trust', 'create-toolbox', 'create-agent', 'front-end', 'testing'],
      },
      testing: { imports: [...coreRooms, 'settings', 'trust', 'testing'], importedBy: ['testing'] },
      index: { imports: coreRooms, importedBy: ['tool-thread'] },
      'front-end': { imports: [...coreRooms, 'settings', 'trust'], importedBy: [] },
      // The script of a thread: it hands the public names to a tool file.
      'tool-thread': { imports: ['tools', 'index'], importedBy: [] },
      // The script of a thread in which a script of the model runs.
      'script-thread': { imports: ['tools'], importedBy: [] },
      tool: { imports: ['tools'], importedBy: [] },
    },
    entries: ['index', 'front-end', 'tool', 'testing/index'],
  },
  doctor: { below: ['machine', 'mcp', 'core'], rooms: ['sandbox', 'servers', 'index'], entries: ['index'] },
  fleet: {
    below: ['core'],
    rooms: ['tasks', 'engine', 'schedule', 'results', 'worker', 'index'],
    entries: ['index'],
  },
  web: { below: ['core'], rooms: ['wire', 'page', 'server', 'page-folder', 'index'], entries: ['index'] },
  cli: {
    below: ['core', 'doctor', 'fleet', 'web'],
    rooms: [
      'base',
      'command-line',
      'app',
      'ui',
      'ask',
      'setup',
      'actions',
      'conversation',
      'acp',
      'commands',
      'main',
    ],
    entries: [],
  },
};

/**
 * Every room from the bottom of the house to its top, as `package/room`; a package without an order is one room.
 *
 * @public scripts/house/walk.mjs reads it.
 */
export const LAYERS: readonly string[] = Object.entries(PACKAGES).flatMap(([name, { rooms }]) =>
  rooms.length === 0 ? [name] : rooms.map((room) => `${name}/${room}`),
);

const MAX_LINES = 400;
const MAX_FILES_PER_FOLDER = 16;
const FORBIDDEN_FOLDERS = /\/(utils?|helpers?|services?|common|misc|lib)\//;

/** Every breach of the house rules, one sentence each. */
export function findViolations(sources: Sources): string[] {
  const graph = importGraph(sources);
  return [
    ...borderViolations(graph),
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
  const ours = /^@toolwright\/([a-z]+)(?:\/(.+))?$/.exec(specifier);
  if (ours) {
    const inside = ours[2] === undefined ? 'index' : ours[2] === 'testing' ? 'testing/index' : ours[2];
    return [`packages/${ours[1]}/src/${inside.replace(/\.js$/, '')}.ts`];
  }
  if (!specifier.startsWith('.')) return [];
  const target = normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts');
  return [target, `${target}x`].filter((path) => sources.has(path));
}

interface Place {
  package: string;
  /** The folder of the package's `src`, or the file there without its ending. */
  room: string;
  /** The path below `src`, without its ending. */
  inside: string;
}

function placeOf(path: string): Place {
  const [, name = '', inside = ''] = /^packages\/([^/]+)\/src\/(.*)\.tsx?$/.exec(path) ?? [];
  return { package: name, room: inside.split('/')[0] as string, inside };
}

function isTest(path: string): boolean {
  return /\.(long\.)?test\.ts$|\.test-d\.ts$/.test(path) || path.includes('/fixtures/');
}

function borderViolations(graph: Graph): string[] {
  const violations: string[] = [];
  for (const [from, targets] of graph) {
    for (const to of targets) {
      const problem = borderProblem(placeOf(from), placeOf(to), isTest(from));
      if (problem) violations.push(`${from} imports ${to}: ${problem}`);
    }
  }
  return violations;
}

/** Tests may reach into any room and any file, but not against the order of packages. */
function borderProblem(from: Place, to: Place, isInTest: boolean): string | null {
  if (from.package !== to.package) return packageProblem(from, to, isInTest);
  return isInTest ? null : roomProblem(PACKAGES[from.package] as Package, from.room, to.room);
}

function packageProblem(from: Place, to: Place, isInTest: boolean): string | null {
  const target = PACKAGES[to.package];
  if (!target) return `there is no package ${to.package}`;
  if (!PACKAGES[from.package]?.below.includes(to.package) && !isInTest)
    return `${from.package} must not import ${to.package}`;
  if (isInTest || target.entries.includes(to.inside) || target.opensFilesTo?.includes(from.package))
    return null;
  return `${from.package} uses the public names of @toolwright/${to.package} only`;
}

function roomProblem({ rooms, sideRooms = {} }: Package, from: string, to: string): string | null {
  if (rooms.length === 0) return null;
  const side = sideRooms[from];
  if (side && !side.imports.includes(to)) return `${from} may import only ${side.imports.join(', ')}`;
  const guarded = sideRooms[to];
  if (guarded && !guarded.importedBy.includes(from))
    return `${to} may be imported only by ${guarded.importedBy.join(', ')}`;
  if (side || guarded) return null;
  const [source, target] = [rooms.indexOf(from), rooms.indexOf(to)];
  if (source === -1 || target === -1) return `there is no layer ${source === -1 ? from : to}`;
  return target > source ? `${to} comes after ${from} in the layer order` : null;
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

/** Files of tools don't fill their folder: a list of like things may grow, and whoever adds one finds room. */
function isTool(path: string, text: string): boolean {
  return (
    dirname(path) === 'packages/core/src/tools' && /^export class \w+Tool extends BaseTool\b/m.test(text)
  );
}

function sizeViolations(sources: Sources): string[] {
  const violations: string[] = [];
  const perFolder = new Map<string, number>();
  for (const [path, text] of sources) {
    const lines = text.split('\n').length - 1;
    if (lines > MAX_LINES && !path.includes('/fixtures/'))
      violations.push(`${path} has ${lines} lines; the limit is ${MAX_LINES}`);
    if (isTest(path) || isTool(path, text)) continue;
    perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1);
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
    const { package: name, inside } = placeOf(path);
    const isBarrel = path.endsWith('/index.ts') && !PACKAGES[name]?.entries.includes(inside);
    if (isBarrel) violations.push(`${path}: only the package entries are called index.ts`);
  }
  return violations;
}

const TYPE_DECLARATION = /^ *(?:export )?(?:type (\w+)(?:<| =)|interface (\w+)\b)/gm;

/**
 * Type names that a package declares in more than one place, as `package Name`, with their files.
 *
 * @public scripts/house/house.mjs prints them.
 */
export function doubledTypeNames(sources: Sources): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const [path, text] of sources) {
    if (isTest(path)) continue;
    for (const [, alias, name = alias] of text.matchAll(TYPE_DECLARATION)) {
      const key = `${placeOf(path).package} ${name}`;
      files.set(key, [...(files.get(key) ?? []), path]);
    }
  }
  return new Map([...files].filter(([, places]) => places.length > 1).sort());
}
