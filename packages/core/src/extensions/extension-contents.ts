import { join } from 'node:path';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { filesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { type AgentPiece, findAgents } from '../pieces/agents/agent-piece.js';
import { findCommands } from '../pieces/commands/find-commands.js';
import { type CustomCommand, readCommand } from '../pieces/commands/read-command.js';
import type { Hook } from '../pieces/hooks/hook.js';
import { readHooks } from '../pieces/hooks/read-hooks.js';
import type { PieceFolder, PieceProblem } from '../pieces/piece.js';
import { findSkills } from '../pieces/skills/find-skills.js';
import type { Skill } from '../pieces/skills/read-skill.js';
import { type Manifest, readManifest } from '../tools/own/manifest.js';
import { toolFileKind } from '../tools/own/tool-file.js';
import type { BroughtFolder, ReadExtension } from './extension.js';

/** Everything that an extension brings, read through. */
export interface ExtensionContents {
  read: ReadExtension;
  root: string;
  skills: Skill[];
  commands: CustomCommand[];
  agents: AgentPiece[];
  hooks: Hook[];
  tools: (Manifest & { file: string })[];
  context: { path: string; text: string }[];
  problems: PieceProblem[];
}

/** Folders of one kind as those who read them know them. */
export function foldersOf(
  folders: readonly BroughtFolder[],
  { name, root }: { name: string; root: string },
): PieceFolder[] {
  return folders.map(({ path, only }) => ({
    path: join(root, path),
    shown: `the extension ${name}`,
    extension: { name, root },
    only,
  }));
}

/** Reads all of it, and runs nothing. */
export async function readContents(
  read: ReadExtension,
  root: string,
  signal: AbortSignal,
): Promise<ExtensionContents> {
  const { extension } = read;
  const place = { name: extension.name, root };
  const skills = await findSkills(foldersOf(extension.skills, place)).readAll(signal);
  const found = await findCommands(foldersOf(extension.commands, place), []);
  const commands = await Promise.all([...found.places.values()].map(readCommand));
  const agents = await findAgents(foldersOf(extension.agents, place));
  const hooks = await Promise.all(
    extension.hooks.map(({ path, format }) =>
      readHooks({ path: join(root, path), shown: path, format, isOwn: false, root }),
    ),
  );
  const tools = await toolsIn(extension.tools, root);
  return {
    read,
    root,
    skills: skills.skills,
    commands: commands.flatMap((command) => ('problem' in command ? [] : command)),
    agents: agents.agents.filter(({ from }) => from !== 'built in'),
    hooks: hooks.flatMap((each) => each.hooks),
    tools: tools.flatMap((tool) => ('problem' in tool ? [] : tool)),
    context: await contextIn(extension.context, root),
    problems: [
      ...read.problems,
      ...skills.problems,
      ...found.problems,
      ...commands.filter((command) => 'problem' in command),
      ...agents.problems,
      ...hooks.flatMap((each) => each.problems),
      ...tools.filter((tool) => 'problem' in tool),
    ],
  };
}

async function contextIn(paths: readonly string[], root: string): Promise<ExtensionContents['context']> {
  const texts = await Promise.all(
    paths.map(async (path) => ({ path, bytes: await readSmallFile(join(root, path)).catch(() => null) })),
  );
  return texts.map(({ path, bytes }) => ({ path, text: bytes?.toString('utf8') ?? '' }));
}

/** Programs with a manifest. Tool files would run inside of this program, so those of extensions are not used. */
async function toolsIn(
  folders: readonly BroughtFolder[],
  root: string,
): Promise<((Manifest & { file: string }) | PieceProblem)[]> {
  const files = folders.flatMap(({ path }) => filesIn(join(root, path)));
  return Promise.all(
    files
      .filter(({ name }) => toolFileKind(name) !== null)
      .map(async ({ name, path }) => {
        if (toolFileKind(name) !== 'manifest')
          return {
            file: path,
            problem:
              'a tool of an extension is a program with a manifest (.json), so that it runs in the sandbox',
          };
        try {
          const bytes = await readSmallFile(path);
          return { file: path, ...readManifest(bytes?.toString('utf8') ?? '', path) };
        } catch (error) {
          return { file: path, problem: messageOf(error).replace(/\.$/, '') };
        }
      }),
  );
}

const HOST = /\bhttps?:\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,}|localhost|\d+\.\d+\.\d+\.\d+)\b/gi;
const CODE = /\.(?:[cm]?[jt]s|py|sh|bash|zsh|rb|pl|php|lua|go|ps1)$/i;
const LARGEST_SEARCHED = 2 * 1024 * 1024;

/** Hosts whose addresses stand in the programs of an extension, or in the command lines that start them. */
export function hostsNamedIn(files: readonly TreeFile[], lines: readonly string[]): string[] {
  const hosts = new Set<string>();
  for (const line of lines) for (const [, host] of line.matchAll(HOST)) hosts.add(host!.toLowerCase());
  for (const { path, bytes, isProgram } of files) {
    if ((!isProgram && !CODE.test(path)) || path.includes('node_modules/') || bytes.length > LARGEST_SEARCHED)
      continue;
    for (const [, host] of new TextDecoder().decode(bytes).matchAll(HOST)) hosts.add(host!.toLowerCase());
  }
  return [...hosts].sort();
}
