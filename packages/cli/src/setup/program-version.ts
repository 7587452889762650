import { readRegularFile } from '@toolwright/core/front-end';

/** The program lies in one folder beside `package.json`. */
export function programVersion(): string {
  const text = readRegularFile(new URL('../package.json', import.meta.url)).toString('utf8');
  return (JSON.parse(text) as { version: string }).version;
}
