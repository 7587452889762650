import { readFileSync } from 'node:fs';
import { openRecorder, type Recorder } from '@toolwright/core';

/** Begins the file of `--record`. */
export function recordTo(path: string, withTree: boolean): Recorder {
  return openRecorder({ path, withTree, program: version() });
}

/** The program lies in one folder beside `package.json`. */
function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
