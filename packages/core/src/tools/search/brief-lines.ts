import type { Collector } from './matches.js';

/** Longer lines are told of, not shown: of a line of many megabytes ripgrep's JSON would be several times as long. */
const MOST_COLUMNS = 4_000;
const OMITTED = /^\[Omitted long (?:matching|context) line\]\r?$|^\[Omitted long line with \d+ matches\]\r?$/;
const BINARY = /^(.*): binary file matches \(found /s;

/** Arguments in place of `--json`, for files whose lines are too long for it. */
export const briefArguments = [
  '--with-filename',
  '--null',
  '--line-number',
  '--no-heading',
  '--color=never',
  '--no-context-separator',
  `--max-columns=${MOST_COLUMNS}`,
];

/** Reads ripgrep's plain output, and hands it on as the messages it would have printed as JSON. */
export function readBriefly({ onRecord }: Pick<Collector, 'onRecord'>) {
  let current: string | null = null;
  const end = (isBinary = false): boolean => {
    if (current === null) return true;
    const path = { text: current };
    current = null;
    return onRecord(JSON.stringify({ type: 'end', data: { path, binary_offset: isBinary ? 0 : null } }));
  };
  const moveTo = (path: string): void => {
    if (path === current) return;
    end();
    onRecord(JSON.stringify({ type: 'begin', data: { path: { text: path } } }));
    current = path;
  };
  return {
    onRecord(record: string): boolean {
      const nul = record.indexOf('\0');
      const [, binary] = nul === -1 ? (BINARY.exec(record) ?? []) : [];
      if (binary !== undefined) {
        moveTo(binary);
        onRecord(message({ number: 1, mark: ':', text: '' }));
        return end(true);
      }
      const [, number, mark, text = ''] = /^(\d+)([:-])(.*)$/s.exec(record.slice(nul + 1)) ?? [];
      if (nul === -1 || number === undefined) return true;
      moveTo(record.slice(0, nul));
      const shown = OMITTED.test(text) ? '[a line too long to be shown]' : text;
      return onRecord(message({ number: Number(number), mark: mark ?? ':', text: shown }));
    },
    finish: () => void end(),
  };
}

function message({ number, mark, text }: { number: number; mark: string; text: string }): string {
  const type = mark === ':' ? 'match' : 'context';
  return JSON.stringify({ type, data: { lines: { text }, line_number: number, submatches: [] } });
}
