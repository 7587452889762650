const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as a page shows it, whatever is in it. */
export function inHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => names[character]!);
}
