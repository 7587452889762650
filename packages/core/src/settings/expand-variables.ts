import type { Environment } from '@toolwright/machine/host/state/state-folder.js';

export type Expansion = { ok: true; text: string } | { ok: false; variable?: string; message: string };

/**
 * `$NAME`, `${NAME}` and `${NAME:-default}` become the values of variables; `$$` is a dollar sign, and a `$`
 * before anything else stays. An empty variable counts as unset where there is a default, as in a shell.
 */
export function expandVariables(text: string, environment: Environment): Expansion {
  let failure: Expansion | undefined;
  const pattern = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|(\{))/g;
  const expanded = text.replace(
    pattern,
    (whole, bare?: string, braced?: string, fallback?: string, open?: string) => {
      if (whole === '$$') return '$';
      if (open !== undefined) {
        failure ??= {
          ok: false,
          message: `"\${" starts a variable that is not written \${NAME} or \${NAME:-default}. Write $$ for a dollar sign.`,
        };
        return '';
      }
      const name = (bare ?? braced) as string;
      const value = environment[name];
      if (fallback !== undefined) return value || fallback;
      if (value !== undefined) return value;
      failure ??= {
        ok: false,
        variable: name,
        message: `the variable ${name} is not set. Set it, or write \${${name}:-default}.`,
      };
      return '';
    },
  );
  return failure ?? { ok: true, text: expanded };
}

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
