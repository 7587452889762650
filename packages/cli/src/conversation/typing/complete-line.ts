import { deadlineIn } from '@toolwright/core/front-end';
import { type InputLine, inputOf } from '../../app/input-line.js';
import { safe } from '../../app/safe-text.js';
import { accepted, type Menu } from '../../app/typing/menu.js';
import type { Front } from '../../ui/front.js';
import type { Menus } from './menus.js';

/** A server may have to start first. */
const LIMIT_MS = 10_000;

/** Tab where no menu is open: the line goes on as far as there is only one way; where there are several, a menu or a numbered list opens. */
export function createLineCompletion(front: Front, menus: Menus): () => Promise<void> {
  let isLooking = false;

  async function complete(): Promise<void> {
    const { input } = front.state;
    const menu = await menus.suggest(deadlineIn(LIMIT_MS));
    // Someone who typed on does not wait for this any more.
    if (front.state.input !== input) return;
    if (!menu || menu.items.length === 0) return front.dispatch({ type: 'hinted', hint: 'Nothing matches.' });
    const further = menu.items.length === 1 ? accepted(menu) : commonStart(menu);
    if (further) front.dispatch({ type: 'line-replaced', input: further });
    if (!front.isLinear) return menus.look();
    if (!further) await choose(menu);
  }

  async function choose(menu: Menu): Promise<void> {
    const picked = await front.pick(
      {
        title: safe('Which one?'),
        items: menu.items.map(({ label, detail }, index) => ({
          id: String(index),
          label,
          detail,
        })),
        typed: 'filter',
        verb: safe('inserts it'),
      },
      { signal: new AbortController().signal },
    );
    if (picked)
      front.dispatch({ type: 'line-replaced', input: accepted({ ...menu, selected: Number(picked.id) }) });
  }

  return async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await complete();
    } catch {
      front.dispatch({ type: 'hinted', hint: 'The server could not complete this.' });
    } finally {
      isLooking = false;
    }
  };
}

/** The line with what all items begin with, where that is more than was typed; null elsewhere. */
function commonStart({ input, from, items }: Menu): InputLine | null {
  if (input.cursor < input.text.length) return null;
  const [first = '', ...others] = items.map(({ insert }) => insert);
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  const typed = input.text.slice(from);
  return length > typed.length && first.startsWith(typed)
    ? inputOf(input.text.slice(0, from) + first.slice(0, length))
    : null;
}
