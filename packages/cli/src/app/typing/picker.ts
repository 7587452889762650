import { emptyInput, type InputLine } from '../input-line.js';
import type { SafeDiff, SafeText } from '../safe-text.js';

export interface PickerItem {
  id: string;
  label: SafeText;
  /** Behind the label, where there is room. */
  detail?: SafeText;
  /** The one in use. */
  isCurrent?: boolean;
}

/** The items that the user may choose from; or, without items, a text to type. */
export interface PickerSpec {
  title: SafeText;
  /** A sentence under the title. */
  about?: SafeText;
  items: readonly PickerItem[];
  /** The text shown when there are no items. */
  empty?: SafeText;
  /** The item to start at. */
  start?: string;
  /** `filter`: typing narrows the list; the other two: what is typed is the answer. */
  typed: 'filter' | 'text' | 'secret';
  /** A value that the keys Left and Right change. */
  dial?: Dial;
  /** Items have a preview, which is asked for when they are reached. */
  hasPreview?: boolean;
  /** The verb of Enter. */
  verb?: SafeText;
}

export interface Dial {
  name: SafeText;
  values: readonly string[];
  value: string;
}

export interface Preview {
  /** The item it belongs to. */
  id: string;
  lines?: readonly SafeText[];
  diff?: SafeDiff;
}

export interface OpenPicker {
  id: number;
  spec: PickerSpec;
  typed: InputLine;
  /** Indexes of the items that fit what was typed. */
  matches: readonly number[];
  selected: number;
  dial: string;
  preview: Preview | null;
  /** True if nothing is redrawn: items are chosen by their number, and words narrow the list with Enter. */
  isNumbered: boolean;
  /** The item whose preview was asked for by `?` and its number; otherwise a preview follows the selection. */
  asked?: string;
}

/** The answer of a picker. */
export interface Picked {
  /** Empty where a text was asked for. */
  id: string;
  text: string;
  dial: string;
}

export function openedPicker(id: number, spec: PickerSpec, isNumbered: boolean): OpenPicker {
  const start = spec.items.findIndex((item) => item.id === spec.start);
  return {
    id,
    spec,
    typed: emptyInput,
    matches: spec.items.map((_, index) => index),
    selected: Math.max(0, start),
    dial: spec.dial?.value ?? '',
    preview: null,
    isNumbered,
  };
}

const lowered = new WeakMap<PickerItem, string>();

function searchText(item: PickerItem): string {
  let text = lowered.get(item);
  if (text === undefined) {
    text = `${item.label} ${item.detail ?? ''}`.toLowerCase();
    lowered.set(item, text);
  }
  return text;
}

/** Narrows the list to the items that have every typed word; those that have them in their names come first. */
export function filtered(picker: OpenPicker, typed: InputLine): OpenPicker {
  if (picker.spec.typed !== 'filter' || typed.text === picker.typed.text) return { ...picker, typed };
  const words = typed.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { items } = picker.spec;
  // Typing on narrows the items that are left.
  const goesOn = typed.text.startsWith(picker.typed.text);
  const from = goesOn ? picker.matches : items.map((_, index) => index);
  const matches = from.filter((index) => {
    const text = searchText(items[index]!);
    return words.every((word) => text.includes(word));
  });
  const isNamed = (index: number): boolean => {
    const { label, detail } = items[index]!;
    return detail === undefined || words.every((word) => label.toLowerCase().includes(word));
  };
  const named = matches.filter(isNamed);
  const others = matches.filter((index) => !isNamed(index));
  return { ...picker, typed, matches: [...named, ...others], selected: 0 };
}

/** The item with a number, counted from 1 among those that fit. */
export function numbered({ matches, spec }: OpenPicker, text: string): PickerItem | undefined {
  const index = /^\d+$/.test(text) ? matches[Number(text) - 1] : undefined;
  return index === undefined ? undefined : spec.items[index];
}

export function stepped(picker: OpenPicker, step: number): OpenPicker {
  const last = Math.max(0, picker.matches.length - 1);
  return { ...picker, selected: Math.max(0, Math.min(last, picker.selected + step)) };
}

export function dialled(picker: OpenPicker, step: 1 | -1): OpenPicker {
  const values = picker.spec.dial?.values ?? [];
  const at = values.indexOf(picker.dial) + step;
  return values[at] === undefined ? picker : { ...picker, dial: values[at] };
}

export function selectedItem({ spec, matches, selected }: OpenPicker): PickerItem | undefined {
  const index = matches[selected];
  return index === undefined ? undefined : spec.items[index];
}
