/** One setting of a git configuration: `core.hookspath`, `filter.lfs.clean`, `includeif.gitdir:~/work/.path`. */
export interface GitSetting {
  /** Section and key in lower case; a quoted name between them as written. */
  key: string;
  value: string;
}

/** Parses a git configuration in order. Lines that git would not understand are left out. */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let rest = text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
  while (rest !== '') {
    rest = rest.replace(/^(?:\s+|[#;][^\n]*)+/, '');
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]/.exec(rest);
    const name = header ? null : /^([A-Za-z][\w-]*)[ \t]*/.exec(rest);
    if (header) {
      section =
        header[1]!.toLowerCase() + (header[2] === undefined ? '' : `.${header[2].replace(/\\(.)/g, '$1')}`);
      rest = rest.slice(header[0].length);
    } else if (name) {
      const after = rest.slice(name[0].length);
      const { value, length } = after.startsWith('=')
        ? readValue(after.slice(1))
        : { value: 'true', length: -1 };
      settings.push({ key: `${section}.${name[1]!.toLowerCase()}`, value });
      rest = after.slice(length + 1);
    } else {
      rest = rest.slice(rest.indexOf('\n') + 1 || rest.length);
    }
  }
  return settings;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/**
 * Reads a value up to the end of the line: quotes hold blanks and comments, a backslash at the end continues on the
 * next line.
 */
function readValue(text: string): { value: string; length: number } {
  let value = '';
  /** Length of the value without trailing blanks. */
  let end = 0;
  let isQuoted = false;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\n') break;
    if (!isQuoted && (character === '#' || character === ';')) {
      const line = text.indexOf('\n', at);
      at = line === -1 ? text.length : line;
      break;
    }
    if (character === '"') {
      isQuoted = !isQuoted;
      end = value.length;
    } else if (character === '\\') {
      at++;
      const next = text[at] ?? '';
      if (next === '\n') continue;
      value += escapes[next] ?? next;
      end = value.length;
    } else if (isQuoted || !/\s/.test(character)) {
      value += character;
      end = value.length;
    } else if (value !== '') value += character;
  }
  return { value: value.slice(0, end), length: at };
}
