import { join } from 'node:path';
import {
  deadlineIn,
  editSetting,
  messageOf,
  type SettingEntry,
  settingList,
} from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { Arguments } from '../../command-line/args.js';
import type { SlashContext } from '../slash-context.js';

const LIMIT_MS = 20_000;
const UNSET = '(not set)';

/** `/settings`, `/settings NAME`: shows every setting with its value and where it comes from, and changes one. */
export async function settings(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const list = settingList();
  const path = list.some((each) => each.path === rest) ? rest : await choosePath(context, list);
  const entry = list.find((each) => each.path === path);
  if (!entry) return [];
  const value = await chooseValue(context, entry);
  if (value === undefined) return [];
  const file = join(context.setup.stateFolder, 'settings.json');
  const edit = {
    file,
    path: entry.path.split('.'),
    value: value === UNSET ? undefined : typedValue(entry, value),
  };
  try {
    await editSetting(edit, context.agent.state, deadlineIn(LIMIT_MS, context.signal));
  } catch (error) {
    return [textItem(messageOf(error), 'warning')];
  }
  if (entry.path !== 'ui.vim') context.reopen({ session: 'same', args: without(context.args, entry) });
  else context.front.dispatch({ type: 'vim-chosen', isOn: value === 'true' });
  const origin = context.setup.loaded.origins[entry.path];
  if (origin && ['environment', 'project', 'file'].includes(origin.layer))
    return [
      textItem(
        `${entry.path}: ${value}, in ${file}. It has no effect while ${origin.source} says otherwise.`,
        'warning',
      ),
    ];
  const later = /^ui\.(?:color|screenReader|theme|notify)/.test(entry.path)
    ? ' It takes effect at the next start.'
    : '';
  return [textItem(`${entry.path}: ${value}, in ${file}.${later}`, 'good')];
}

/** A flag, or a choice made in this conversation, would override the setting. */
function without(args: Arguments, { flag = '' }: SettingEntry): Arguments {
  const name = flag.replace(/^--/, '');
  const values = new Map(args.values);
  const lists = new Map(args.lists);
  const switches = new Set(args.switches);
  values.delete(name);
  lists.delete(name);
  if (name === 'approval-mode') switches.delete('yolo');
  return { ...args, values, lists, switches };
}

function current({ setup }: SlashContext, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, name) => (at as Record<string, unknown> | undefined)?.[name],
      setup.loaded.settings,
    );
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return UNSET;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

async function choosePath(context: SlashContext, list: readonly SettingEntry[]): Promise<string | undefined> {
  const { front, signal, setup } = context;
  const picked = await front.pick(
    {
      title: safe('Settings'),
      items: list.map(({ path }) => {
        const origin = setup.loaded.origins[path];
        const from = origin && origin.layer !== 'default' ? ` (${origin.source})` : '';
        return { id: path, label: safe(path), detail: safeLine(`${current(context, path)}${from}`) };
      }),
      typed: 'filter',
      verb: safe('changes it'),
    },
    {
      signal,
      preview: async (id) => ({
        lines: [safeLine(plainWords(list.find(({ path }) => path === id)?.description ?? ''))],
      }),
    },
  );
  return picked?.id;
}

/** The table of all settings is Markdown; here its quotes would be read as letters. */
function plainWords(description: string): string {
  return description.replaceAll('`', '');
}

async function chooseValue(
  context: SlashContext,
  { path, kind, description }: SettingEntry,
): Promise<string | undefined> {
  const now = current(context, path);
  const choices = kind.type === 'choice' ? kind.values : kind.type === 'boolean' ? ['true', 'false'] : null;
  const picked = await context.front.pick(
    {
      title: safe(path),
      about: safeLine(
        choices
          ? plainWords(description)
          : `${plainWords(description)} Now: ${now}.${kind.type === 'list' ? ' Separate several with commas.' : ''} A single - removes it.`,
      ),
      items: (choices ? [...choices, UNSET] : []).map((value) => ({
        id: value,
        label: safe(value),
        isCurrent: value === now,
      })),
      typed: choices ? 'filter' : 'text',
      start: now,
    },
    { signal: context.signal },
  );
  if (!picked) return undefined;
  if (choices) return picked.id;
  return picked.text === '-' ? UNSET : picked.text;
}

/** The typed text as the setting takes it; what does not fit is left for its check to refuse. */
function typedValue({ kind }: SettingEntry, text: string): unknown {
  switch (kind.type) {
    case 'boolean':
      return text === 'true';
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
    default:
      return text;
  }
}
