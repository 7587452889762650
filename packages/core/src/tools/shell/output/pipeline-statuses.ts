/**
 * Something of ours before the command: when bash ends it prints the status of every member of the last pipeline behind
 * a mark that nobody can guess, because `test | tail` hides that the test failed. The command's bytes follow unchanged,
 * in the same line, so that what bash says of line 3 is about line 3.
 */
export function withStatusLine(command: string, mark: string): string {
  return telling(mark) + command;
}

function telling(mark: string): string {
  return `trap 'printf "\\n%s %s\\n" ${mark} "\${PIPESTATUS[*]}" >&2' EXIT; `;
}

export interface TakenStatuses {
  output: string;
  /** Exit statuses of the last pipeline, in order; null if the command ended without reporting them. */
  statuses: number[] | null;
}

const told = /([0-9 ]+)\r?\n/y;

/** Without what we put there, which bash quotes when it can't read the line. */
export function withoutTelling(printed: string, mark: string): string {
  return printed.replaceAll(telling(mark), '');
}

/** The last line with statuses counts: a command can read the mark (`trap -p EXIT`) and print it, but ours comes at the end. */
export function takeStatuses(printed: string, mark: string): TakenStatuses {
  const output = withoutTelling(printed, mark);
  const line = `\n${mark} `;
  const before = (start: number): number => (start === 0 ? -1 : output.lastIndexOf(line, start - 1));
  for (let start = output.lastIndexOf(line); start !== -1; start = before(start)) {
    // A single pattern serves for all marks: making one per mark takes longer than all the rest.
    told.lastIndex = start + line.length;
    const found = told.exec(output);
    if (!found?.[1]) continue;
    return {
      output: output.slice(0, start) + output.slice(told.lastIndex),
      statuses: found[1].trim().split(' ').map(Number),
    };
  }
  return { output, statuses: null };
}

/** The same for text that arrives in pieces: what could be the beginning of the mark waits for the next piece. */
export function createWithoutStatusLine(mark: string): (chunk: string) => string {
  let held = '';
  return (chunk) => {
    const text = takeStatuses(held + chunk, mark).output;
    const start = text.lastIndexOf('\n');
    const rest = start === -1 ? '' : text.slice(start + 1);
    const line = `${mark} `;
    const mayBeOurs = start !== -1 && (line.startsWith(rest) || rest.startsWith(line));
    held = mayBeOurs ? text.slice(start) : '';
    return mayBeOurs ? text.slice(0, start) : text;
  };
}
