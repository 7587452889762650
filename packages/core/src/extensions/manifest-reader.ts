import { join, normalize } from 'node:path/posix';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { type JsonNode, plainValue } from '@toolwright/machine/base/configuration/plain-json.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { HookFormat } from '../pieces/hooks/hook.js';
import type { PieceProblem } from '../pieces/piece.js';
import { readPieceText } from '../pieces/piece-text.js';
import {
  type BroughtFolder,
  EXTENSION_NAME,
  type Extension,
  LONGEST_EXTENSION_NAME,
  type ReadExtension,
  type UnusedPart,
} from './extension.js';

const MOST_BYTES = 1024 * 1024;
const LONGEST_TEXT = 500;

/** A file of JSON with the lines of its members, or what is wrong with it. */
export interface JsonFile {
  value: JsonObject;
  /** The line of a member; of the file where there is none. */
  lineOf(...path: string[]): number;
}

export async function readJsonFile(root: string, path: string): Promise<JsonFile | PieceProblem> {
  const file = join(root, path);
  const found = (await readPieceText(file, MOST_BYTES)) ?? { text: '' };
  if ('problem' in found) return found;
  const parsed = await parseJsonc(found.text.replace(/^\uFEFF/, ''));
  if (!parsed.ok)
    return {
      file,
      line: parsed.problems[0]?.at.line,
      problem: `it is not JSON: ${parsed.problems[0]?.message}`,
    };
  const value = plainValue(parsed.root);
  if (!isJsonObject(value)) return { file, line: 1, problem: 'it must be an object' };
  return { value, lineOf: (...names) => lineIn(parsed.root, names) };
}

function lineIn(root: JsonNode, names: readonly string[]): number {
  let node: JsonNode = root;
  let line = root.at.line;
  for (const name of names) {
    const entry = node.type === 'object' ? node.entries.findLast((each) => each.name === name) : undefined;
    if (!entry) return line;
    node = entry.value;
    line = entry.at.line;
  }
  return line;
}

/** Reads a manifest member by member, and notes what is wrong with it. */
export class ManifestReader {
  readonly problems: PieceProblem[] = [];
  readonly unused: UnusedPart[] = [];

  constructor(
    readonly root: string,
    readonly manifest: string,
    readonly json: JsonFile,
  ) {}

  get value(): JsonObject {
    return this.json.value;
  }

  problem(problem: string, ...path: string[]): void {
    this.problems.push({ file: join(this.root, this.manifest), line: this.json.lineOf(...path), problem });
  }

  /** A line of text, without anything that a terminal would obey. */
  text(name: string): string {
    const value = this.value[name];
    if (value === undefined || value === null) return '';
    if (typeof value === 'string') return terminalSafeLine(value).slice(0, LONGEST_TEXT);
    this.problem(`${name} must be text`, name);
    return '';
  }

  /** Texts of a member that is one text or a list of them. */
  texts(name: string): string[] {
    const value = this.value[name];
    if (value === undefined || value === null) return [];
    const items = Array.isArray(value) ? value : [value];
    if (items.every((item) => typeof item === 'string')) return items as string[];
    this.problem(`${name} must be a path, or a list of paths`, name);
    return [];
  }

  /** A path as it is inside of the extension; null, with a problem, where it leaves it. */
  inside(written: string, ...member: string[]): string | null {
    const relative = written.replace(
      /^\$\{(?:CLAUDE_)?PLUGIN_ROOT\}\/?|^\$\{extensionPath\}(?:\$\{\/\}|\/)?/,
      '',
    );
    const path = normalize(relative || '.').replace(/\/$/, '');
    if (path.startsWith('/') || path.split('/').includes('..') || path.includes('\\')) {
      this.problem(`${JSON.stringify(written)} is a path out of the extension`, ...member);
      return null;
    }
    return path === '.' ? '' : path;
  }

  has(path: string): boolean {
    return lookAtSync(join(this.root, path)) !== null;
  }

  isFolder(path: string): boolean {
    return lookAtSync(join(this.root, path))?.kind === 'directory';
  }

  /** The usual folder where there is one, and what a member names beside it or in its place; files are folders with one name. */
  folders(usual: string, name = usual): BroughtFolder[] {
    const named = this.texts(name).flatMap((written): BroughtFolder[] => {
      const path = this.inside(written, name);
      if (path === null) return [];
      if (!this.has(path)) {
        this.problem(`there is no ${path || '.'} in the extension`, name);
        return [];
      }
      const isOne = !this.isFolder(path) || (usual === 'skills' && this.has(join(path, 'SKILL.md')));
      const [folder, last] = splitPath(path);
      return [isOne ? { path: folder, only: [last] } : { path }];
    });
    // An entry of a list of plugins that stands for the manifest (`strict: false`) names all that it means.
    const isWhole = this.value['strict'] !== false || named.length === 0;
    const all = isWhole && this.isFolder(usual) ? [{ path: usual }, ...named] : named;
    const isCovered = ({ path, only }: BroughtFolder): boolean =>
      all.some((other) => other.only === undefined && other.path === path && only !== undefined);
    return all.filter(
      (folder, index) =>
        !isCovered(folder) &&
        all.findIndex(({ path, only }) => path === folder.path && only?.[0] === folder.only?.[0]) === index,
    );
  }

  /** Files of hooks: the usual one, and what a member names, or holds itself. */
  hooks(format: HookFormat): Extension['hooks'] {
    const usual = 'hooks/hooks.json';
    const found = this.has(usual) ? [usual] : [];
    const { hooks } = this.value;
    if (isJsonObject(hooks)) found.push(this.manifest);
    else
      for (const written of this.texts('hooks')) {
        const path = this.inside(written, 'hooks');
        if (path !== null && this.has(path)) found.push(path);
        else if (path !== null) this.problem(`there is no ${path} in the extension`, 'hooks');
      }
    return [...new Set(found)].map((path) => ({ path, format }));
  }

  /** Notes members and folders that mean nothing here. */
  leave(parts: Record<string, string>): void {
    for (const [what, why] of Object.entries(parts))
      if (this.value[what] !== undefined || (what.includes('/') && this.has(what.replace(/\/$/, ''))))
        this.unused.push({ what, why });
  }

  /** The record with the members that every format has; a name that can't be used is a mistake of the whole. */
  result(
    format: Extension['format'],
    brings: Partial<Omit<Extension, 'name' | 'version' | 'description' | 'format' | 'manifest'>>,
  ): ReadExtension | PieceProblem {
    const { name } = this.value;
    const file = join(this.root, this.manifest);
    if (typeof name !== 'string' || !EXTENSION_NAME.test(name) || name.length > LONGEST_EXTENSION_NAME)
      return {
        file,
        line: this.json.lineOf('name'),
        problem: `name must be text of at most ${LONGEST_EXTENSION_NAME} letters, digits, hyphens, dots and underscores`,
      };
    const extension: Extension = {
      name,
      version: this.text('version'),
      description: this.text('description'),
      format,
      manifest: this.manifest,
      skills: [],
      commands: [],
      agents: [],
      tools: [],
      hooks: [],
      servers: {},
      context: [],
      excludeTools: [],
      variables: [],
      ...brings,
    };
    return { extension, unused: this.unused, problems: this.problems };
  }
}

function splitPath(path: string): [folder: string, last: string] {
  const at = path.lastIndexOf('/');
  return at === -1 ? ['', path] : [path.slice(0, at), path.slice(at + 1)];
}
