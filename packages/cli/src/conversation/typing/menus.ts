import type { InputLine } from '../../app/input-line.js';
import { safeLine } from '../../app/safe-text.js';
import type { Menu, MenuItem } from '../../app/typing/menu.js';
import type { Front } from '../../ui/front.js';
import type { FileIndex } from './file-index.js';
import { scoreText } from './fuzzy.js';

export interface CommandName {
  name: string;
  help: string;
  /** Words follow it. */
  takesWords: boolean;
}

export interface MenuNeeds {
  front: Pick<Front, 'state' | 'dispatch'>;
  commands(): readonly CommandName[];
  files: FileIndex;
  /** Paths that were used lately, latest first. */
  recent(): readonly string[];
  /** Names of servers, for `@server:uri` and `/server:prompt`. */
  servers(): readonly string[];
  /** Names of subagents, for `@agent-NAME`. */
  agents(): Promise<readonly string[]>;
  /** Asks a server for its offers for the text before the cursor. */
  ofServer(before: string, signal: AbortSignal): Promise<{ typed: string; words: readonly string[] }>;
}

export interface Menus {
  /** The line has changed. */
  look(): void;
  /** Gives what may follow the text before the cursor, once all of it is known; null when there is nothing. */
  suggest(signal: AbortSignal): Promise<Menu | null>;
  close(): void;
}

const MOST_ITEMS = 50;
/** While the list of files still grows, the menu grows with it: soon at first, then this often. */
const AGAIN_MS = 40;
const FIRST_AGAIN_MS = 4;
const LISTING_LIMIT_MS = 15_000;

/** Suggestions as the user types; every change of the line ends the search before it. */
export function createMenus(needs: MenuNeeds): Menus {
  const { front } = needs;
  let looking: AbortController | undefined;

  function show(menu: Menu | null, input: InputLine): void {
    const { state } = front;
    if (state.input !== input || state.question || state.typing.picker) return;
    const before = state.typing.menu?.input === input ? state.typing.menu : null;
    if (!before && !menu) return;
    // Items that come in later leave the choice where it is.
    const kept = before?.items[before.selected]?.insert;
    const at = menu?.items.findIndex(({ insert }) => insert === kept) ?? -1;
    const selected = before && before.selected > 0 && at >= 0 ? at : 0;
    front.dispatch({ type: 'menu-found', menu: menu && { ...menu, selected } });
  }

  return {
    look() {
      looking?.abort();
      const { input } = front.state;
      const before = input.text.slice(0, input.cursor);
      const command = commandIn(before);
      if (command !== null) return show(commandMenu(input, command, needs), input);
      if (!/[@:]/.test(before)) return;
      looking = new AbortController();
      const { signal } = looking;
      // Servers that fail offer nothing.
      lookFurther({ input, before, needs, show: (menu) => show(menu, input), signal }).catch(() => undefined);
    },
    async suggest(signal) {
      const { input } = front.state;
      const before = input.text.slice(0, input.cursor);
      const command = commandIn(before);
      if (command !== null) return commandMenu(input, command, needs);
      let found: Menu | null = null;
      await lookFurther({ input, before, needs, show: (menu) => void (found = menu), signal });
      return found;
    },
    close: () => looking?.abort(),
  };
}

function commandIn(before: string): string | null {
  return /^\/([\w.-]*)$/.exec(before)?.[1] ?? null;
}

interface Looking {
  input: InputLine;
  before: string;
  needs: MenuNeeds;
  show(menu: Menu | null): void;
  signal: AbortSignal;
}

async function lookFurther(looking: Looking): Promise<void> {
  const { before, needs, signal } = looking;
  const offered = /^\/([\w.-]+):|(?:^|\s)@([\w.-]+):\S*$/.exec(before);
  if (offered && needs.servers().includes(offered[1] ?? offered[2] ?? '')) return lookAtServer(looking);
  const typed = mentionIn(before);
  if (typed === null || signal.aborted) return;
  await lookForFiles(looking, typed);
}

/** The path that is being typed behind an `@`; null where none is. */
function mentionIn(before: string): string | null {
  const found = /(?:^|[\s([{<])@(?:"([^"\n]*)|((?:\\ |[^\s"'])*))$/.exec(before);
  return found ? (found[1] ?? found[2] ?? '').replaceAll('\\ ', ' ') : null;
}

/** Their files are read once the word may be one of them. */
async function agentsFor(typed: string, needs: MenuNeeds): Promise<string[]> {
  if (!/^ag(?:e(?:n(?:t(?:-|$)|$)|$)|$)/.test(typed)) return [];
  return (await needs.agents()).map((name) => `agent-${name}`).filter((word) => word.startsWith(typed));
}

async function lookForFiles({ input, before, needs, show, signal }: Looking, typed: string): Promise<void> {
  const { files } = needs;
  const from = before.lastIndexOf('@') + 1;
  const agents = await agentsFor(typed, needs);
  files.refresh(needs.recent());
  const end = performance.now() + LISTING_LIMIT_MS;
  let pause = FIRST_AGAIN_MS;
  for (let size = -1; ; ) {
    if (files.size !== size || !files.isListing) {
      size = files.size;
      const found = await files.search(typed, { limit: MOST_ITEMS, recent: needs.recent(), signal });
      if (!found || signal.aborted) return;
      const servers = needs.servers().filter((alias) => typed !== '' && alias.startsWith(typed));
      const items = [
        ...agents.map((insert): MenuItem => ({ insert, label: safeLine(insert) })),
        ...servers.map(
          (alias): MenuItem => ({ insert: `${alias}:`, label: safeLine(`${alias}:`), isOpen: true }),
        ),
        ...found.map(
          ({ path, isFolder }): MenuItem => ({
            insert: path.replaceAll(' ', '\\ '),
            label: safeLine(path),
            isOpen: isFolder,
          }),
        ),
      ];
      const isWhole = found.some(({ path }) => path === typed || path === `${typed}/`);
      const menu = {
        kind: 'file' as const,
        input,
        from,
        items,
        selected: 0,
        isLooking: files.isListing,
        isWhole,
      };
      show(items.length > 0 || files.isListing ? menu : null);
    }
    if (!files.isListing || performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(AGAIN_MS, pause * 2);
    if (signal.aborted) return;
  }
}

async function lookAtServer({ input, before, needs, show, signal }: Looking): Promise<void> {
  const { typed, words } = await needs.ofServer(before, signal);
  if (signal.aborted || words.length === 0) return show(null);
  const items = words.slice(0, MOST_ITEMS).map((word): MenuItem => ({ insert: word, label: safeLine(word) }));
  const from = before.length - typed.length;
  show({ kind: 'file', input, from, items, selected: 0, isLooking: false, isWhole: words.includes(typed) });
}

function commandMenu(input: InputLine, typed: string, { commands, servers }: MenuNeeds): Menu | null {
  const query = typed.toLowerCase();
  const all = [
    ...commands(),
    ...servers().map((alias) => ({
      name: `${alias}:`,
      help: 'prompts of this MCP server',
      takesWords: true,
    })),
  ];
  const fitting = all
    .map((command, order) => ({ command, order, points: scoreText(command.name, query) }))
    .filter(({ points }) => points >= 0)
    .sort((left, right) =>
      query === '' ? left.order - right.order : right.points - left.points || left.order - right.order,
    );
  if (fitting.length === 0) return null;
  const items = fitting.map(
    ({ command: { name, help } }): MenuItem => ({
      insert: name,
      label: safeLine(`/${name}`),
      detail: safeLine(help),
      isOpen: name.endsWith(':'),
    }),
  );
  const isWhole = items.some(({ insert }) => insert === query);
  return { kind: 'command', input, from: 1, items, selected: 0, isLooking: false, isWhole };
}
