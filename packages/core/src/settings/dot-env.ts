/** The variables of a `.env` file: `NAME=value`, quotes, `export`, comments. Lines of any other form are left out. */
export function parseDotEnv(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  const line =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")[ \t]*(?:#.*)?|([^\r\n]*))$/gm;
  for (const [, name, single, double, bare] of text.matchAll(line)) {
    if (name === undefined || name === '__proto__') continue;
    variables[name] = single ?? (double === undefined ? bareValue(bare ?? '') : unescaped(double));
  }
  return variables;
}

function bareValue(text: string): string {
  return text.startsWith('#') ? '' : text.replace(/[ \t]+#.*$/, '').trimEnd();
}

function unescaped(text: string): string {
  const letters: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\([\s\S])/g, (_whole, letter: string) => letters[letter] ?? letter);
}
