import { join } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import type { CommandToRun } from '@toolwright/machine/host/run-code/run-code.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { readManifest } from './manifest.js';
import type { OwnToolsOptions } from './own-sources.js';
import { toolFileKind } from './tool-file.js';

export interface ToolCommand extends CommandToRun {
  /** `the tool count.json` */
  by: string;
  /** False for a tool file, which a thread of ours runs. */
  isProgram: boolean;
}

/** The command lines behind tools of the user's own. What can't be read runs nothing. */
export async function toolCommands(
  { discoveryCommand, callCommand, folders = [] }: OwnToolsOptions,
  directory: string,
): Promise<ToolCommand[]> {
  const commands: ToolCommand[] = [];
  for (const [by, command] of [
    ['the discovery command', discoveryCommand],
    ['the command for discovered tools', callCommand],
  ] as const) {
    const words = command === undefined ? null : await orNull(() => commandWords(command, by));
    if (words !== null) commands.push({ by, words, directory, isProgram: true });
  }
  for (const { path, only } of folders)
    for (const name of await namesIn(path)) {
      const words = only === undefined || only === name ? await wordsOf(path, name) : null;
      const isProgram = toolFileKind(name) === 'manifest';
      if (words !== null) commands.push({ by: `the tool ${name}`, words, directory, isProgram });
    }
  return commands;
}

async function wordsOf(folder: string, name: string): Promise<string[] | null> {
  const path = join(folder, name);
  switch (toolFileKind(name)) {
    case 'module':
      return ['node', path];
    case 'manifest':
      return orNull(
        async () => readManifest((await readSmallFile(path))?.toString('utf8') ?? '', path).words,
      );
    case null:
      return null;
  }
}

async function orNull<Value>(read: () => Value | Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch {
    return null;
  }
}
