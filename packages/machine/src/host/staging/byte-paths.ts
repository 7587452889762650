/** File names are bytes: one that is not UTF-8 must be found again by the very bytes it was listed with. */
export type BytePath = Buffer;

const SLASH = Buffer.from('/');

export function bytePath(path: string): BytePath {
  return Buffer.from(path);
}

export function inside(folder: BytePath, name: BytePath): BytePath {
  return Buffer.concat([folder, SLASH, name]);
}

/** Null when the name is not UTF-8. */
export function asText(name: BytePath): string | null {
  const text = name.toString();
  return !text.includes('\ufffd') || Buffer.from(text).equals(name) ? text : null;
}

/** For people, where the name is not UTF-8. */
export function readable(name: BytePath): string {
  return (
    asText(name) ??
    name
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  );
}
