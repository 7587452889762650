import { fromOutput, placeArguments, type SearchHost } from './place.js';
import { prepareWalk, type Scope } from './prepare-walk.js';
import { readProblems, type WalkEnd } from './walk.js';

export interface CountedFile {
  /** Absolute. */
  path: string;
  count: number;
}

export interface Counting extends Scope {
  /** Arguments that say what is searched for. */
  query: readonly string[];
  signal: AbortSignal;
  timeoutMs?: number;
  isWanted(path: string): boolean;
}

export interface Counts extends WalkEnd {
  files: CountedFile[];
  /** Over all files. */
  count: number;
}

const MAX_FILES = 100_000;

export async function countByFile(host: SearchHost, counting: Counting): Promise<Counts> {
  const { place, signal, timeoutMs } = counting;
  const walk = await prepareWalk(host, counting, signal);
  const files: CountedFile[] = [];
  const read = createCountReader((output, count) => {
    const path = fromOutput(place, output);
    if (!walk.isIgnored(output) && counting.isWanted(path)) files.push({ path, count });
  });
  const end = await host.ripgrep.run({
    args: [...walk.args, '--count', '--null', '--with-filename', ...counting.query, ...placeArguments(place)],
    directory: place.root,
    signal,
    timeoutMs,
    separator: 'nul',
    onRecord(record) {
      read(record);
      return files.length < MAX_FILES;
    },
  });
  files.sort((left, right) => (left.path < right.path ? -1 : 1));
  const count = files.reduce((sum, file) => sum + file.count, 0);
  return { files, count, stopped: end.stopped, problems: readProblems(end, counting) };
}

/** Between two NULs stand the count of one file, a newline and the next path, which may hold newlines itself. */
function createCountReader(onFile: (path: string, count: number) => void): (record: string) => void {
  let path: string | null = null;
  return (record) => {
    if (path === null) {
      path = record;
      return;
    }
    const newline = record.indexOf('\n');
    const end = newline === -1 ? record.length : newline;
    onFile(path, Number(record.slice(0, end)));
    path = record.slice(end + 1);
  };
}
