import { settingPaths } from './read-layer.js';
import type { SettingKind } from './setting-kinds.js';

/** A setting as a user may change it. */
export interface SettingEntry {
  /** The path, such as `ui.color`. */
  path: string;
  kind: SettingKind;
  description: string;
  default?: unknown;
  /** The flag that overrides it, such as `--model`. */
  flag?: string;
}

/** Every setting that has one value: groups, maps and keys are left out. */
export function settingList(): SettingEntry[] {
  const plain = ['string', 'integer', 'number', 'boolean', 'choice', 'list'];
  return [...settingPaths].flatMap(([path, { kind, description, default: given, secret, flag }]) =>
    plain.includes(kind.type) && !secret ? [{ path, kind, description, default: given, flag }] : [],
  );
}
