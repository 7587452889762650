/** Words of programs that want an answer. */
const asks =
  /(?:\?|\[[yn]\/[yn]\]|\([yn]\/[yn]\)|\(yes\/no[^)]*\)|\b(?:password|passphrase|username|login|user name|email|token|choice|selection|answer|name|number|option)\b.{0,60}:|\b(?:enter|type|choose|select|press|input)\b.{0,80}:?)(?:\s*[[(][^\])]{0,40}[\])])?\s*[:>?]?\s*$/i;

const LONGEST_PROMPT = 200;

/** Python's own way of saying that nobody answered; the prompt stands before it. */
const pythonEnd =
  /([^\n]*)Traceback \(most recent call last\):\n(?:.*\n)*EOFError: EOF when reading a line\s*$/;

/** The question that a command printed last and that nobody could answer; null when it did not end in one. */
export function askedAtEnd(output: string): string | null {
  const [, python] = pythonEnd.exec(output.slice(-8_000)) ?? [];
  const last = python ?? output.slice(output.lastIndexOf('\n') + 1);
  const prompt = last.slice(-LONGEST_PROMPT).trim();
  // A line that was ended is no prompt: whoever asks leaves the cursor behind the question.
  return prompt !== '' && (python !== undefined || asks.test(prompt)) ? prompt : null;
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
