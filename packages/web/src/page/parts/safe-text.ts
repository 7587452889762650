/** Characters that act instead of being seen: they hide text, or turn its direction. */
const acting =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text of others with such characters made visible. It is only ever given to the document as text. */
export function safeText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(
      acting,
      (unit) => `<U+${(unit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
    );
}
