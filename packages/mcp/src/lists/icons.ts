import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { McpIcon } from '../contract/connection.js';
import { textAt } from '../contract/plain-text.js';

const MOST_ICONS = 8;
const LONGEST_SOURCE = 16_000;

/** The icons that may be kept; undefined without any. Nothing is fetched. */
export function readIcons(value: unknown): McpIcon[] | undefined {
  const icons = (Array.isArray(value) ? value : []).flatMap((icon: unknown): McpIcon[] => {
    const src = isJsonObject(icon) ? icon['src'] : undefined;
    if (!isJsonObject(icon) || typeof src !== 'string' || !isSafeSource(src)) return [];
    const sizes = Array.isArray(icon['sizes']) ? icon['sizes'] : [];
    return [{ src, mimeType: textAt(icon, 'mimeType', 100), sizes: sizes.filter(isSize) }];
  });
  return icons.length === 0 ? undefined : icons.slice(0, MOST_ICONS);
}

/** Other addresses could name files of the user, or scripts. */
function isSafeSource(src: string): boolean {
  if (src.length > LONGEST_SOURCE || !URL.canParse(src)) return false;
  return src.startsWith('https://') || /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]+$/i.test(src);
}

function isSize(value: unknown): value is string {
  return typeof value === 'string' && /^(any|\d{1,5}x\d{1,5})$/.test(value);
}
