/** A word of letters and signs that mean nothing to bash, or of quoted text in which nothing is replaced. */
const word = `(?:[A-Za-z0-9_./:=@%+,^-]|'[ -&(-~]*'|"[ #%&'()*+,./0-9:;<=>?@A-Z\\[\\]^_a-z{|}~-]*")+`;
const command = `${word}(?: +${word})*`;
const plain = new RegExp(`^(?!-)${command}(?: *(?:\\|\\|?|&&|;) *${command})*$`);

/** Words that mean something to bash where a program's name would stand. */
const reserved =
  /(?:^|[ |&;])(?:if|then|elif|else|fi|for|while|until|select|in|do|done|case|esac|function|time|coproc)(?=[ |&;]|$)/;

/** True for a line that can be read in only one way: words, and the signs that join commands. */
export function isPlainlyRead(line: string): boolean {
  return plain.test(line) && !reserved.test(line);
}
