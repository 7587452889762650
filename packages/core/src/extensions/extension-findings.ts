import { join, relative } from 'node:path';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { mayAccess } from '@toolwright/machine/host/plain-files/regular-file.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { unfilledPlaceholder } from '../pieces/hooks/placeholders.js';
import { describePieceProblem } from '../pieces/piece.js';
import type { ExtensionContents } from './extension-contents.js';
import { unusedParts } from './extension-page.js';

/** Something about an extension that its author should know. */
export interface ExtensionFinding {
  check: ExtensionAspect;
  level: 'error' | 'warning' | 'note';
  message: string;
}

/** The parts of an extension that are graded. */
export const extensionAspects = [
  'manifest',
  'skills',
  'commands',
  'agents',
  'hooks',
  'servers',
  'tools',
] as const;
/** A part of an extension that is graded. */
export type ExtensionAspect = (typeof extensionAspects)[number];

const SHORTEST_DESCRIPTION = 20;

/** Judges what was read, whatever the format; runs nothing. Messages name file and line. */
export function findingsOf(contents: ExtensionContents): ExtensionFinding[] {
  const { read, problems, root } = contents;
  const found: ExtensionFinding[] = problems.map((problem) => {
    const file = relative(root, problem.file) || '.';
    return { check: aspectOf(file), level: 'error', message: describePieceProblem({ ...problem, file }) };
  });
  const { extension } = read;
  for (const member of ['version', 'description'] as const)
    if (extension[member] === '')
      found.push({
        check: 'manifest',
        level: 'warning',
        message: `${extension.manifest}: ${member} is missing.`,
      });
  for (const { what, why } of unusedParts(contents))
    found.push({ check: 'manifest', level: 'note', message: `${what} is not used here: ${why}.` });
  return [
    ...found,
    ...ofSkills(contents),
    ...ofHooks(contents),
    ...ofServers(contents),
    ...ofTools(contents),
  ];
}

function aspectOf(file: string): ExtensionAspect {
  const [first = ''] = file.split('/');
  if (/^\.?mcp\.json$/.test(file)) return 'servers';
  return extensionAspects.find((aspect) => aspect === first) ?? 'manifest';
}

function ofSkills({ skills, root }: ExtensionContents): ExtensionFinding[] {
  return skills
    .filter(({ description }) => description.length < SHORTEST_DESCRIPTION)
    .map(({ folder }) => ({
      check: 'skills',
      level: 'warning',
      message: `${relative(root, folder)}/SKILL.md: the description is so short that a model can't tell when to use the skill.`,
    }));
}

const ROOTED = /\$\{?(?:(?:CLAUDE_)?PLUGIN_ROOT|extensionPath)\}?(?:\$\{\/\}|\/)([\w./@+-]+)/g;
const SHORTEST_LIMIT_MS = 100;
/** The mode of `access` that asks for a program. */
const MAY_RUN = 1;

function ofHooks({ hooks, root }: ExtensionContents): ExtensionFinding[] {
  return hooks.flatMap(({ command, from, line, timeoutMs }): ExtensionFinding[] => {
    const where = `${from.shown}:${line}`;
    const files = [...command.matchAll(ROOTED)].map(([, path]) => path!);
    const first = /^["']?\$/.test(command) ? files[0] : undefined;
    const unfilled = unfilledPlaceholder({ command, from: { ...from, root } });
    return [
      ...(unfilled === null
        ? []
        : [
            {
              check: 'hooks',
              level: 'error',
              message: `${where}: ${unfilled} has no value for hooks here, so this one is never run.`,
            } as const,
          ]),
      ...files
        .filter((path) => !lookAtSync(join(root, path)))
        .map(
          (path): ExtensionFinding => ({
            check: 'hooks',
            level: 'error',
            message: `${where}: there is no ${path}.`,
          }),
        ),
      ...(first !== undefined && lookAtSync(join(root, first)) && !mayAccess(join(root, first), MAY_RUN)
        ? [
            {
              check: 'hooks',
              level: 'error',
              message: `${where}: ${first} is not executable (chmod +x).`,
            } as const,
          ]
        : []),
      ...(timeoutMs < SHORTEST_LIMIT_MS
        ? [
            {
              check: 'hooks',
              level: 'warning',
              message: `${where}: the limit is ${timeoutMs} ms; files of this format count in milliseconds.`,
            } as const,
          ]
        : []),
    ];
  });
}

const PLACED = /^\$\{(?:(?:CLAUDE_)?PLUGIN_ROOT|extensionPath|__dirname)\}(?:\$\{\/\}|\/)(.+)$/;

function ofServers({ read: { extension }, root }: ExtensionContents): ExtensionFinding[] {
  return Object.entries(extension.servers).flatMap(([name, server]) =>
    wordsOf(server).flatMap((word): ExtensionFinding[] => {
      const path = PLACED.exec(word)?.[1]?.replace(/\$\{\/\}/g, '/');
      if (path === undefined || path.includes('$') || lookAtSync(join(root, path))) return [];
      return [
        {
          check: 'servers',
          level: 'error',
          message: `The server ${name} names ${path}, which is not there.`,
        },
      ];
    }),
  );
}

function wordsOf({ command, args }: JsonObject): string[] {
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
}

function ofTools({ tools, root }: ExtensionContents): ExtensionFinding[] {
  return tools.flatMap(({ name, file, words, effects }): ExtensionFinding[] => {
    const shown = relative(root, file);
    const missing = words.find((word) => word.startsWith(`${root}/`) && !lookAtSync(word));
    return [
      ...(missing === undefined
        ? []
        : [
            {
              check: 'tools',
              level: 'error',
              message: `${shown}: there is no ${relative(root, missing)}.`,
            } as const,
          ]),
      ...(isJsonObject(effects) || Array.isArray(effects)
        ? []
        : [
            {
              check: 'tools',
              level: 'warning',
              message: `${shown}: ${name} declares no effects, so every call is asked about.`,
            } as const,
          ]),
    ];
  });
}
