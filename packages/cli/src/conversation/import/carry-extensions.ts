import { isToolError, SettingsError } from '@toolwright/core';
import { type HomeFindings, installedExtensions, messageOf, parseSource } from '@toolwright/core/front-end';
import type { Arguments } from '../../command-line/args.js';
import { type Opened, prepare, withoutExtension } from './prepare-extension.js';

/** The user's answer to the page of an extension: it counts, it is kept switched off, or it is left where it is. */
export type PageAnswer = 'on' | 'off' | 'left';

export interface CarryExtensions {
  args: Arguments;
  signal: AbortSignal;
  answer(page: string, name: string): Promise<PageAnswer>;
}

/** Installs the extensions of other agents as any others are; gives a sentence about each. */
export async function carryExtensions(
  all: readonly HomeFindings[],
  { args, signal, answer }: CarryExtensions,
): Promise<string[]> {
  const extensions = all.flatMap((found) => found.extensions);
  if (extensions.length === 0) return [];
  return withoutExtension(null, { args, signal }, async (opened) => {
    const said: string[] = [];
    for (const { name, path } of extensions)
      said.push(
        await carry(path, opened, answer).catch((error: unknown) => {
          if (!(error instanceof SettingsError || isToolError(error))) throw error;
          return `The extension ${name} was not imported. ${messageOf(error)}`;
        }),
      );
    return said;
  });
}

async function carry(path: string, opened: Opened, answer: CarryExtensions['answer']): Promise<string> {
  const { state, signal } = opened;
  const prepared = await prepare(parseSource(path, '/'), opened);
  try {
    const { name } = prepared.contents.read.extension;
    const installed = await installedExtensions(state);
    if (installed.some(({ extension }) => extension.name === name))
      return `The extension ${name} is installed already.`;
    switch (await answer(prepared.page, name)) {
      case 'on':
        await prepared.accept(signal);
        return `Installed ${name}.`;
      case 'off':
        await prepared.keepOff(signal);
        return `${name} is here, switched off. To look at it and turn it on: toolwright extensions enable ${name}`;
      case 'left':
        return `${name} stays where it is.`;
    }
  } finally {
    await prepared.drop();
  }
}
