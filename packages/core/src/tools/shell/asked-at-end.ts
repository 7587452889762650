/** Words of programs that want an answer. */
const asks =
  /(?:\?|\[[yn]\/[yn]\]|\([yn]\/[yn]\)|\(yes\/no[^)]*\)|\b(?:password|passphrase|username|login|user name|email|token|choice|selection|answer|name|number|option)\b.{0,60}:|\b(?:enter|type|choose|select|press|input)\b.{0,80}:?)(?:\s*[[(][^\])]{0,40}[\])])?\s*[:>?]?\s*$/i;

const LONGEST_PROMPT = 200;

/** Python's own way of saying that nobody answered; the prompt stands before it, and in pip a line of its own between. */
const pythonEnd =
  /([^\n]*?)(?:ERROR: Exception:\n)?Traceback \(most recent call last\):\n(?:.*\n)*EOFError: EOF when reading a line\s*$/;

/** The last words of programs that find nothing to read: apt, click, terraform, npm. */
const gaveUp =
  /^(.*?)\s*(?:abort(?:ed|ing)?[.!]*|operation (?:was )?(?:aborted|cancel?led)\.?|(?:npm (?:error|ERR!) )?cancel?led\.?|(?!.*\b(?:unexpected|syntax)\b).*\b(?:EOF|end of file)\b.*)$/i;

/** The question before such words, on the same line or the one above. */
function askedBeforeEnd(output: string): string | null {
  const lines = output
    .slice(-2_000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const end = gaveUp.exec(lines.at(-1)?.slice(-2 * LONGEST_PROMPT) ?? '');
  if (!end) return null;
  const prompt = (end[1] || (lines.at(-2) ?? '')).slice(-LONGEST_PROMPT).trim();
  return prompt !== '' && asks.test(prompt) ? prompt : null;
}

/** git without a terminal names what it would have asked for; sudo only says that it would. */
const withoutTerminal: [line: RegExp, prompt: (found: string) => string][] = [
  [/^fatal: could not read ((?:Username|Password) for '[^'\n]{1,150}')/m, (found) => `${found}:`],
  [/^sudo: a (?:terminal is required to read the |)(password)\b/m, (found) => found],
];

function askedWithoutTerminal(output: string): string | null {
  for (const [line, prompt] of withoutTerminal) {
    const [, found] = line.exec(output.slice(-2_000)) ?? [];
    if (found !== undefined) return prompt(found);
  }
  return null;
}

/** The question that a command printed last and that nobody could answer; null when it did not end in one. */
export function askedAtEnd(output: string): string | null {
  const [, python] = pythonEnd.exec(output.slice(-8_000)) ?? [];
  const last = python ?? output.slice(output.lastIndexOf('\n') + 1);
  const prompt = last.slice(-LONGEST_PROMPT).trim();
  // A line that was ended is no prompt: whoever asks leaves the cursor behind the question.
  if (prompt !== '' && (python !== undefined || asks.test(prompt))) return prompt;
  return askedBeforeEnd(output) ?? askedWithoutTerminal(output);
}

/**
 * The question of the shell's own `read -p`, which shows it at a terminal only; null where that `read` may not have run, or have its
 * answer from a pipe or a file.
 */
export function askedByRead(
  command: string,
  commands: readonly (readonly (string | null)[])[] | null | undefined,
): string | null {
  if (/[|<]/.test(command.replaceAll('||', '')) || !RUNS_READ.test(command)) return null;
  // Whether a second one runs may depend on what the first one read.
  const [, ...words] = commands?.find(([program]) => program === 'read') ?? [];
  const at = words.findIndex((word) => word !== null && READ_PROMPT.test(word));
  const [, joined = ''] = READ_PROMPT.exec(words[at] ?? '') ?? [];
  const prompt = (joined || (words[at + 1] ?? '')).slice(-LONGEST_PROMPT).trim();
  return at < 0 || prompt === '' ? null : prompt;
}

/** A line whose `read` nothing can keep from running: it comes first, or after commands that only print or change the folder. */
const quoted = `'[^']*'|"[^"$\`\\\\]*"`;
const RUNS_READ = new RegExp(
  [
    String.raw`^\s*(?:(?:echo|printf|cd)(?=[\s;])(?:${quoted}|[^'"$\`\\#&|(){}<>;\n])*[;\n]\s*)*`,
    String.raw`(?:(?:if|while|until)\s+)?(?:!\s+)?(?:\w+=(?:${quoted}|[\w.,:/-]*)\s+)*read\s`,
  ].join(''),
);

const READ_PROMPT = /^-[ers]*p(.*)$/s;

/** The sentence about it: what was asked, and how to go on. */
export function describeAsked(prompt: string): string {
  return `it asked ${JSON.stringify(prompt)} and nobody could answer: a command in the foreground has nothing to read. Run it with an option that answers (such as --yes), pipe the answer into it, or run it with is_background and answer with the tool jobs`;
}
