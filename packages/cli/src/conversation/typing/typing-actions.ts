import type { Agent, State } from '@toolwright/core';
import { clipboardImage, clipboardPrograms, listWorkspaceFiles } from '@toolwright/core/front-end';
import type { UserEvent } from '../../app/events.js';
import { withImage } from '../../app/typing/paste.js';
import type { Setup } from '../../setup/runtime.js';
import type { Front } from '../../ui/front.js';
import { createLineCompletion } from './complete-line.js';
import { createFileIndex } from './file-index.js';
import { searchHistory } from './history-search.js';
import { type CommandName, createMenus, type Menus } from './menus.js';
import { createRecentFiles, type RecentFiles } from './recent-files.js';

export interface TypingActions {
  /** True for events that it has dealt with. */
  handle(event: UserEvent): boolean;
  readonly recent: RecentFiles;
  close(): void;
}

export interface TypingNeeds {
  front: Front;
  agent: Agent;
  state: State;
  setup: Setup;
  commands(): readonly CommandName[];
  /** Shift+Tab. */
  nextMode(): Promise<void>;
  /** The line has changed. */
  changed(): void;
}

/** The actions that keys of the prompt start outside of the state: menus, the search of earlier prompts, the editor, the clipboard. */
export function createTypingActions(needs: TypingNeeds): TypingActions {
  const { front } = needs;
  const ending = new AbortController();
  const { signal } = ending;
  const recent = createRecentFiles(needs.agent, signal);
  const menus = menusOf(needs, { recent: recent.paths, signal });
  const complete = createLineCompletion(front, menus);

  function handle(event: UserEvent): boolean {
    switch (event.type) {
      case 'input-changed':
        // The arrow keys stay free while the user goes through earlier prompts.
        if (!front.isLinear && !event.history?.back) menus.look();
        needs.changed();
        return true;
      case 'completion-asked':
        void complete();
        return true;
      case 'history-search-asked':
        void searchHistory(front, signal).then(needs.changed);
        return true;
      case 'editor-asked':
        void openEditor(needs, signal);
        return true;
      case 'clipboard-asked':
        void pasteImage(front);
        return true;
      case 'mode-asked':
        void needs.nextMode();
        return true;
      default:
        return false;
    }
  }
  return {
    handle,
    recent,
    close() {
      menus.close();
      ending.abort();
    },
  };
}

function menusOf(
  { front, agent, commands }: TypingNeeds,
  { recent, signal }: { recent: RecentFiles['paths']; signal: AbortSignal },
): Menus {
  return createMenus({
    front,
    commands,
    files: createFileIndex(
      { list: (options) => listWorkspaceFiles(agent.host, options), now: () => performance.now() },
      signal,
    ),
    recent,
    servers: () => (agent.mcp?.servers ?? []).map(({ config }) => config.alias),
    agents: async () => (await agent.pieces.findAgents()).agents.map(({ name }) => name),
    async ofServer(before, inner) {
      const { completeForServer } = await import('../servers/complete.js');
      return completeForServer(before, agent.mcp, AbortSignal.any([inner, signal]));
    },
  });
}

async function openEditor({ front, state, setup, changed }: TypingNeeds, signal: AbortSignal): Promise<void> {
  const { editPrompt } = await import('./editor.js');
  const { VISUAL, EDITOR } = process.env;
  const editor = setup.loaded.settings.ui.editor || VISUAL || EDITOR || 'vi';
  await editPrompt({ front, state, editor, signal });
  changed();
}

/** Ctrl+V: the image in the clipboard; a terminal itself only pastes text. */
async function pasteImage(front: Front): Promise<void> {
  const bytes = await clipboardImage(process.env);
  if (!bytes) {
    const programs = clipboardPrograms().join(' or ');
    const hint = `No image could be read from the clipboard (tried: ${programs || 'no program'}). Drop the file on the window instead.`;
    return front.dispatch({ type: 'hinted', hint });
  }
  const { input, typing } = front.state;
  const image = { mimeType: 'image/png', data: Buffer.from(bytes).toString('base64') };
  front.dispatch({ type: 'line-replaced', ...withImage(input, typing.folded, image) });
}
