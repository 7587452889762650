import { inputOf } from '../../app/input-line.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { PickerItem } from '../../app/typing/picker.js';
import type { Front } from '../../ui/front.js';

const LABEL_LENGTH = 300;

/** Ctrl+R: finds an earlier prompt and puts it into the line; Esc leaves the line as it was. */
export async function searchHistory(front: Front, signal: AbortSignal): Promise<void> {
  const { entries } = front.state.history;
  const items = itemsOf(entries);
  const picked = await front.pick(
    {
      title: safe('Earlier prompts'),
      items,
      empty: safe('There are no earlier prompts yet.'),
      typed: 'filter',
      verb: safe('inserts it'),
    },
    {
      signal,
      preview: async (id) => {
        const text = entries[Number(id)] ?? '';
        return text.includes('\n') ? { lines: text.split('\n').map(safeLine) } : null;
      },
    },
  );
  const text = picked && entries[Number(picked.id)];
  if (text) front.dispatch({ type: 'line-replaced', input: inputOf(text) });
}

/** Newest first, each prompt once. */
function itemsOf(entries: readonly string[]): PickerItem[] {
  const seen = new Set<string>();
  const items: PickerItem[] = [];
  for (let index = entries.length - 1; index >= 0; index--) {
    const text = entries[index]!;
    if (seen.has(text)) continue;
    seen.add(text);
    items.push({ id: String(index), label: safeLine(text.slice(0, LABEL_LENGTH).replaceAll('\n', ' ')) });
  }
  return items;
}
