export type LineMeaning =
  | { kind: 'prompt'; text: string }
  | { kind: 'shell'; command: string }
  | { kind: 'slash'; name: string; rest: string }
  | { kind: 'fact'; fact: string }
  | { kind: 'server-prompt'; server: string; prompt: string; rest: string };

/** `!command`, `#fact`, `/name words`, `/server:prompt words`, else a prompt; a line that starts with a path such as `/etc/hosts` is a prompt. */
export function meaningOf(text: string): LineMeaning {
  const command = /^!\s*(\S[\s\S]*)$/.exec(text)?.[1];
  if (command !== undefined) return { kind: 'shell', command: command.trim() };
  // `#12` is an issue, and several lines that begin so are a text in Markdown.
  const fact = /^#\s*([^\s#\d][^\n]*)$/.exec(text)?.[1];
  if (fact !== undefined) return { kind: 'fact', fact: fact.trim() };
  const slash = /^\/([A-Za-z][A-Za-z-]*|\?)(?:\s+([\s\S]*))?$/.exec(text);
  if (slash?.[1] !== undefined)
    return { kind: 'slash', name: slash[1].toLowerCase(), rest: (slash[2] ?? '').trim() };
  const offered = /^\/([A-Za-z0-9][A-Za-z0-9_.-]*):([^\s/]\S*|(?=\s|$))(?:\s+([\s\S]*))?$/.exec(text);
  if (offered?.[1] !== undefined && offered[2] !== undefined)
    return { kind: 'server-prompt', server: offered[1], prompt: offered[2], rest: (offered[3] ?? '').trim() };
  return { kind: 'prompt', text };
}
