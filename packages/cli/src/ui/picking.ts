import type { AppEvent } from '../app/events.js';
import {
  type OpenPicker,
  type Picked,
  type PickerSpec,
  type Preview,
  selectedItem,
} from '../app/typing/picker.js';

export interface PickOptions {
  signal: AbortSignal;
  /** Gives more about an item once the user has reached it. */
  preview?(id: string, signal: AbortSignal): Promise<Omit<Preview, 'id'> | null>;
}

/** Null when the user closed the list, or the signal fired. */
export type PickFrom = (spec: PickerSpec, options: PickOptions) => Promise<Picked | null>;

export interface Picking {
  pick: PickFrom;
  answer(picked: Picked | null): void;
  /** A key was handled. */
  heard(): void;
}

interface PickingNeeds {
  dispatch(event: AppEvent): void;
  open(): OpenPicker | null;
  isLinear: boolean;
}

/** A list is previewed after a pause, so that running through it stays quick. */
const PREVIEW_MS = 40;

export function createPicking({ dispatch, open, isLinear }: PickingNeeds): Picking {
  let answered: ((picked: Picked | null) => void) | undefined;
  let previewing: { options: PickOptions; shown: string; timer?: NodeJS.Timeout } | undefined;

  async function showPreview(id: string): Promise<void> {
    const current = previewing;
    const given = await current?.options.preview?.(id, current.options.signal).catch(() => null);
    const picker = open();
    if (given && previewing === current && picker && (picker.asked ?? selectedItem(picker)?.id) === id)
      dispatch({ type: 'picker-previewed', preview: { id, ...given } });
  }

  function heard(): void {
    const picker = open();
    if (!picker?.spec.hasPreview || !previewing) return;
    const id = isLinear ? picker.asked : selectedItem(picker)?.id;
    if (id === undefined || id === previewing.shown) return;
    previewing.shown = id;
    clearTimeout(previewing.timer);
    previewing.timer = setTimeout(() => void showPreview(id), PREVIEW_MS);
  }

  return {
    async pick(spec, options) {
      const { signal } = options;
      if (signal.aborted) return null;
      dispatch({
        type: 'picker-opened',
        spec: { ...spec, hasPreview: Boolean(options.preview) },
        isNumbered: isLinear,
      });
      previewing = { options, shown: '' };
      heard();
      let stop = (): void => undefined;
      const picked = await new Promise<Picked | null>((resolve) => {
        answered = resolve;
        stop = () => resolve(null);
        signal.addEventListener('abort', stop, { once: true });
      });
      signal.removeEventListener('abort', stop);
      clearTimeout(previewing?.timer);
      previewing = undefined;
      answered = undefined;
      if (open()) dispatch({ type: 'picker-closed' });
      return picked;
    },
    answer: (picked) => answered?.(picked),
    heard,
  };
}
