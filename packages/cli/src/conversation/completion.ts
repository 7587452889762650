import type { Agent } from '@toolwright/core';
import { deadlineIn } from '@toolwright/core';
import { insert } from '../app/input-line.js';
import type { Front } from '../ui/front.js';
import { type Candidates, commonStart, fitting } from './candidates.js';
import { quitNames, slashNames } from './slash-commands.js';

type CompletionNeeds = Pick<Agent, 'mcp' | 'host'>;

/** A server may have to start first. */
const LIMIT_MS = 10_000;
const MOST_SHOWN = 12;

/** Tab: goes on with what was typed as far as there is only one way, and shows the ways where there are several. */
export function createCompletion(front: Front, agent: CompletionNeeds): () => Promise<void> {
  let isLooking = false;
  const hint = (text: string): void => front.dispatch({ type: 'hinted', hint: text });

  async function complete(): Promise<void> {
    const { input } = front.state;
    const signal = deadlineIn(LIMIT_MS);
    const { typed, words } = await candidatesFor(input.text.slice(0, input.cursor), agent, signal);
    // Whoever typed on meanwhile does not wait for this any more.
    if (front.state.input !== input) return;
    const common = commonStart(words);
    if (common.length > typed.length)
      front.dispatch({ type: 'input-changed', input: insert(input, common.slice(typed.length)) });
    if (words.length > 1) hint(firstWords(words));
  }

  return async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await complete();
    } catch {
      // Only servers can fail here: files that can't be listed are none.
      hint('The server could not complete this.');
    } finally {
      isLooking = false;
    }
  };
}

/** Completes the text before the cursor. */
export async function candidatesFor(
  before: string,
  agent: CompletionNeeds,
  signal: AbortSignal,
): Promise<Candidates> {
  const aliases = (agent.mcp?.servers ?? []).map(({ config }) => `${config.alias}:`);
  const command = /^\/([\w.-]*)$/.exec(before)?.[1];
  if (command !== undefined) return fitting(command, [...slashNames, ...quitNames.slice(0, 1), ...aliases]);
  if (/^\/[\w.-]+:|@[\w.-]+:\S*$/.test(before)) {
    const { completeForServer } = await import('./servers/complete.js');
    return completeForServer(before, agent.mcp, signal);
  }
  const path = /(?:^|\s)@((?:\\ |[^\s@:])*)$/.exec(before)?.[1];
  if (path === undefined) return fitting('', []);
  const files = await filesAt(path, agent, signal);
  return fitting(path, path.includes('/') ? files : [...files, ...aliases]);
}

async function filesAt(path: string, { host }: CompletionNeeds, signal: AbortSignal): Promise<string[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  try {
    const entries = await host.files.list(
      host.workspace.resolve(folder.replaceAll('\\ ', ' ') || '.'),
      signal,
    );
    return entries
      .filter(({ name }) => !/[\p{C}]|[^\S ]/u.test(name))
      .map(({ name, kind }) => `${folder}${name.replaceAll(' ', '\\ ')}${kind === 'directory' ? '/' : ''}`);
  } catch {
    // Outside the workspace, or no folder: nothing there can be given with @.
    return [];
  }
}

function firstWords(words: readonly string[]): string {
  const more = words.length > MOST_SHOWN ? ` and ${words.length - MOST_SHOWN} more` : '';
  return words.slice(0, MOST_SHOWN).join('  ') + more;
}
