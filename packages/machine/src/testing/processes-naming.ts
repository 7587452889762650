import { readdirSync, readFileSync } from 'node:fs';

/** Process ids whose command line holds this text, our own aside. */
export function processesNaming(text: string): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return all.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}
