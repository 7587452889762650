/** Words that begin advice to the model. */
const advising =
  /^(?:To create it, send|Add|Ask|Call|Change|Check|Choose|Do not|Fetch|Give|Leave|List|Look|Make|Move|Name|Open|Pass|Put|Read|Remove|Repeat|Run|Search|Send|Set|Start|Take|Tell|Try|Use|Wait|Write)\b/;
/** A command that only the user can give. */
const command = /\btoolwright [a-z]/;
/** Parameters of tools, and what only the model can do. */
const modelOnly =
  /\b(?:call again|is_background|network: true|the user is asked|Tell the user|The next call|The tools are|larger timeout)\b/;

/**
 * The part of a sentence for the model that the user should read: what happened, without the advice what to call next. Between
 * the first line and the last one a message may quote files, which stay as they are.
 */
export function messageForUser(message: string): string {
  const lines = message.split('\n');
  const kept = lines.flatMap((line, index) => {
    if (index > 0 && index < lines.length - 1) return [line];
    const said = withoutAdvice(line);
    return said === '' && line !== '' ? [] : [said];
  });
  const text = kept.join('\n').trimEnd();
  return inWords(text === '' ? message : text);
}

function withoutAdvice(line: string): string {
  return line
    .split(/(?<=[.!?]["')]?) (?=[A-Z])/)
    .filter((sentence) => (!advising.test(sentence) || command.test(sentence)) && !modelOnly.test(sentence))
    .join(' ');
}

/** The names of parameters mean nothing to somebody who did not make the call. */
function inWords(text: string): string {
  return text
    .replace(/(^|[.!?] )old_string\b/g, '$1The text to replace')
    .replace(/(^|[.!?] )new_string\b/g, '$1The new text')
    .replaceAll('old_string', 'the text to replace')
    .replaceAll('new_string', 'the new text');
}
