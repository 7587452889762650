import { readFileSync } from 'node:fs';

/** The program lies in one folder beside `package.json`. */
export function programVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
