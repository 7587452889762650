import type { OtherCode } from '@toolwright/core/front-end';
import type { YesNo } from '../app/yes-no.js';

const MOST_FILES = 20;

/** Asks whether a server may start although what it runs is not what the user agreed to. */
export function codeQuestion({ server, changes }: OtherCode): YesNo {
  const files = changes.slice(0, MOST_FILES).map(({ path, change }) => `${change}: ${path}`);
  const more = changes.length - files.length;
  return {
    title: `Start the MCP server ${server}? What it runs has changed since you agreed to it.`,
    facts: more > 0 ? [...files, `and ${more} more`] : files,
    yes: 'yes, start it, and remember what it runs now',
    no: 'no, leave it off',
  };
}
