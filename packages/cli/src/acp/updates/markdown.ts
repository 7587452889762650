import { terminalSafe } from '@toolwright/core/front-end';

/** Text of others in Markdown that an editor draws: as code, so that nothing of it is a link, a heading or a picture. */
export function fenced(text: string, form: 'block' | 'inline'): string {
  const shown = terminalSafe(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  if (form === 'inline') {
    const fence = '`'.repeat(longest + 1);
    const pad = shown.startsWith('`') || shown.endsWith('`') || shown.trim() === '' ? ' ' : '';
    return `${fence}${pad}${shown.replace(/\n/g, ' ')}${pad}${fence}`;
  }
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${shown.replace(/\n$/, '')}\n${fence}`;
}

/** A sentence of ours with names of others in it: its characters mean only themselves. */
export function escaped(sentence: string): string {
  return terminalSafe(sentence).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}
