import {
  isToolError,
  type Part,
  type RawCall,
  type SettledCall,
  type Toolbox,
  toParts,
} from '@toolwright/core';
import type { ServedServer } from '@toolwright/core/front-end';

/** A prompt with the files it names by `@path`. */
export interface ExpandedPrompt {
  parts: Part[];
  /** Sentences to show the user. */
  notes: string[];
  /** Why the files could not be read, where a call failed: who draws calls shows it with the call. */
  failure?: string;
}

/** After a blank or an opening bracket, so that mail addresses and the like are left alone. */
const mention = /(?<=^|[\s([{<])@("[^"\n]+"|'[^'\n]+'|(?:\\ |[^\s"'])(?:\\ |\S)*)/g;

export function mentionedPaths(prompt: string): string[] {
  const found = Array.from(prompt.matchAll(mention), ([, name = '']) => {
    const quoted = /^(["'])(.*)\1$/.exec(name)?.[2];
    return quoted ?? name.replace(/\\ /g, ' ');
  });
  return [...new Set(found)];
}

/**
 * Reads what the prompt names through `read_many_files`, the way a call of the model would: the same rules hold,
 * the journal has it, and the model counts as having seen the files. What names no file is left as it stands.
 */
export async function expandAtFiles(
  prompt: string,
  toolbox: Pick<Toolbox, 'host' | 'registry' | 'scheduler' | 'permission' | 'mcp'>,
  signal: AbortSignal,
): Promise<ExpandedPrompt> {
  const notes: string[] = [];
  const paths: string[] = [];
  const resources: Part[] = [];
  for (const name of mentionedPaths(prompt)) {
    const server = serverOf(name, toolbox);
    if (server) {
      const { readResource } = await import('./servers/resources.js');
      const { parts, warnings } = await readResource(server, name, signal);
      resources.push(...parts);
      notes.push(...warnings);
      continue;
    }
    const path = await existing(name, toolbox);
    const refusal = path === null ? null : await refusalOf(path, toolbox);
    if (refusal !== null) notes.push(refusal);
    else if (path !== null) paths.push(path);
    else if (/[/.]/.test(name)) notes.push(`@${name} is not a file or folder here; it is sent as written.`);
  }
  const given: Part[] = [{ text: prompt }, ...resources];
  if (paths.length === 0) return { parts: given, notes };
  if (!toolbox.registry.getTool('read_many_files')) {
    notes.push('@path needs the tool read_many_files, which is excluded here.');
    return { parts: given, notes };
  }
  const call: RawCall = { id: '', name: 'read_many_files', arguments: { paths } };
  const [settled] = (await toolbox.scheduler.run([call], signal, { unheard: true })) as [SettledCall];
  if (settled.error) return { parts: given, notes, failure: settled.error.message };
  const content = toParts(settled.llmContent);
  return { parts: [...given, { text: '\n\nThe files named with @ above:\n\n' }, ...content], notes };
}

/** `@alias:uri` where a server has that alias. */
function serverOf(name: string, { mcp }: Pick<Toolbox, 'mcp'>): ServedServer | undefined {
  const alias = /^([A-Za-z0-9][A-Za-z0-9_.-]*):./.exec(name)?.[1];
  return alias === undefined ? undefined : mcp?.find(alias);
}

/** A file that rules keep from the model must not keep it from the others. */
async function refusalOf(
  path: string,
  { host, permission }: Pick<Toolbox, 'host' | 'permission'>,
): Promise<string | null> {
  try {
    const written = host.workspace.resolve(path);
    return (
      permission.refusal('read', written) ?? permission.refusal('read', await host.files.realPath(written))
    );
  } catch (error) {
    if (isToolError(error)) return error.message;
    throw error;
  }
}

/** The name itself, or without the punctuation of the sentence it stands in; a pattern only where neither is there. */
async function existing(name: string, { host }: Pick<Toolbox, 'host'>): Promise<string | null> {
  const trimmed = name.replace(/[.,;:!?)\]}>'"]+$/, '');
  for (const candidate of new Set([name, trimmed])) {
    try {
      if (candidate !== '' && (await host.files.stat(host.workspace.resolve(candidate)))) return candidate;
    } catch (error) {
      if (!isToolError(error)) throw error;
    }
  }
  return /[*?[\]{}]/.test(trimmed) ? trimmed : null;
}
