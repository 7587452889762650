import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A message that a document quotes, with `…` for the parts that differ. */
export interface Quote {
  text: string;
  fragments: string[];
  pattern: RegExp;
}

/** The first cell of every row whose first cell is a message. */
export function quotedMessages(document: string): Quote[] {
  return [...document.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text = '']) => {
    const fragments = text
      .split('…')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const pattern = fragments.map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('[^]*?');
    return { text, fragments, pattern: new RegExp(pattern) };
  });
}

/** Every source file by name, with texts that are put together from pieces made whole. */
export function sourceTexts(): Map<string, string> {
  const packages = fileURLToPath(new URL('../../packages', import.meta.url));
  const names = ['machine/src', 'mcp/src', 'core/src', 'doctor/src', 'cli/src'].flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(long\.|slow\.)?test(-d)?\.ts$/.test(name))
      .map((name) => join(folder, name)),
  );
  return new Map(names.map((name) => [name, joined(readFileSync(join(packages, name), 'utf8'))]));
}

function joined(source: string): string {
  return source.replace(/['`"]\s*\+\s*['`"]/g, '').replace(/\\(['"`])/g, '$1');
}
