import { isJsonObject, jsonIn } from '@toolwright/machine/base/json.js';

/** A step that the offline model takes for a request. */
export interface OfflineCall {
  tool: string;
  args: Record<string, unknown>;
}

export interface OfflineRequest {
  /** A sample request, for the help text. */
  example: string;
  /** The words it may begin with: a pattern is not even compiled for a request that begins otherwise. */
  verbs: readonly string[];
  pattern: RegExp;
  /** The request itself says which tool to call, so it works with any tool. */
  namesTool?: true;
  calls(match: RegExpExecArray): OfflineCall[];
}

const QUOTED = `(?:"([^"]*)"|'([^']*)'|\`([^\`]*)\`)`;

/** The plain requests the offline model understands, first match wins. */
export const offlineRequests: readonly OfflineRequest[] = [
  {
    example: "replace 'old' with 'new' in FILE",
    verbs: ['replace'],
    pattern: new RegExp(`^replace\\s+(all\\s+)?${QUOTED}\\s+(?:with|by)\\s+${QUOTED}\\s+in\\s+(.+)$`, 'is'),
    calls: (match) => {
      const path = word(match[8]);
      const edit = {
        file_path: path,
        old_string: unescaped(match[2] ?? match[3] ?? match[4]),
        new_string: unescaped(match[5] ?? match[6] ?? match[7]),
        replace_all: match[1] !== undefined,
      };
      return [
        { tool: 'read_file', args: { absolute_path: path } },
        { tool: 'edit', args: edit },
      ];
    },
  },
  {
    example: "write 'text' to FILE",
    verbs: ['write', 'put'],
    pattern: new RegExp(`^(?:write|put)\\s+${QUOTED}\\s+(?:to|into|in)\\s+(.+)$`, 'is'),
    calls: (match) => [
      {
        tool: 'write_file',
        args: { file_path: word(match[4]), content: `${unescaped(match[1] ?? match[2] ?? match[3])}\n` },
      },
    ],
  },
  {
    example: 'search the web for WORDS',
    verbs: ['search', 'look'],
    pattern: /^(?:search|look)\s+(?:on\s+|in\s+)?the\s+web\s+for\s+(.+)$/is,
    calls: (match) => [{ tool: 'web_search', args: { query: word(match[1]) } }],
  },
  {
    example: 'find files PATTERN in FOLDER',
    verbs: ['find', 'list'],
    pattern: /^(?:find|list)\s+(?:all\s+)?files\s+(?:named\s+|matching\s+|like\s+)?(\S+)(?:\s+in\s+(.+))?$/is,
    calls: (match) => [{ tool: 'glob', args: { pattern: globFor(word(match[1])), ...folder(match[2]) } }],
  },
  {
    example: 'find TEXT in FOLDER',
    verbs: ['find', 'search', 'grep'],
    pattern: /^(?:find|search(?:\s+for)?|grep(?:\s+for)?)\s+(.+?)(?:\s+in\s+(\S+|"[^"]+"|'[^']+'))?$/is,
    calls: (match) => [
      { tool: 'grep_search', args: { pattern: word(match[1]), literal: true, ...folder(match[2]) } },
    ],
  },
  {
    example: 'list FOLDER',
    verbs: ['list', 'ls', 'dir'],
    pattern: /^(?:list|ls|dir)(?:\s+(?:the\s+)?(?:files\s+(?:in|of)\s+)?(.+))?$/is,
    calls: (match) => [{ tool: 'list_directory', args: { path: match[1] ? word(match[1]) : '.' } }],
  },
  {
    example: 'show FILE',
    verbs: ['show', 'read', 'cat', 'open', 'print'],
    pattern: /^(?:show|read|cat|open|print)\s+(?:me\s+)?(?:the\s+file\s+)?(.+)$/is,
    calls: (match) => {
      const paths = (match[1]?.match(/"[^"]+"|'[^']+'|\S+/g) ?? [])
        .map(word)
        .filter((path) => path !== 'and');
      return paths.length === 1 && !/[*?{]/.test(paths[0]!)
        ? [{ tool: 'read_file', args: { absolute_path: paths[0] } }]
        : [{ tool: 'read_many_files', args: { paths } }];
    },
  },
  {
    example: 'use TOOL with NAME=VALUE NAME="two words"',
    verbs: ['use', 'call'],
    namesTool: true,
    pattern: /^(?:use|call)\s+(?:the\s+tool\s+)?([\w-]{1,64})(?:\s+with\s+(.+))?$/is,
    calls: (match) => [{ tool: match[1] ?? '', args: argumentsIn(match[2]?.trim() ?? '') }],
  },
  {
    example: 'run COMMAND',
    verbs: ['run', 'execute', '$'],
    pattern: /^(?:run|execute|\$)\s+(.+)$/is,
    calls: (match) => [{ tool: 'run_shell_command', args: { command: match[1]?.trim() } }],
  },
  {
    example: 'remember that FACT',
    verbs: ['remember'],
    pattern: /^remember(?:\s+that|:)?\s+(.+)$/is,
    calls: (match) => [{ tool: 'save_memory', args: { fact: match[1]?.trim() } }],
  },
  {
    example: 'fetch https://URL',
    verbs: ['fetch', 'get'],
    pattern: /^(?:fetch|get)\s+(https?:\/\/\S+)(?:\s+and\s+(.+))?$/is,
    calls: (match) => [
      { tool: 'web_fetch', args: { url: match[1], prompt: match[2]?.trim() ?? 'Summarise the page.' } },
    ],
  },
];

/** The calls a request stands for, or null when it is not one of the plain requests. */
export function interpret(request: string): OfflineCall[] | null {
  const line =
    request
      .trim()
      .split('\n', 1)[0]
      ?.trim()
      .replace(/(?<=\w)[.!]$/, '') ?? '';
  const text = line.toLowerCase().startsWith('please') ? line.replace(/^please\s+/i, '') : line;
  const verb = /^(?:[a-z]+|\$)/.exec(text.toLowerCase())?.[0] ?? '';
  for (const { verbs, pattern, calls } of offlineRequests) {
    const match = verbs.includes(verb) ? pattern.exec(text) : null;
    if (match) return calls(match);
  }
  return null;
}

/** Reads arguments: a JSON object, or `name=value` as often as needed; a value that is JSON is taken as such. */
function argumentsIn(text: string): Record<string, unknown> {
  const whole = jsonIn(text);
  if (isJsonObject(whole)) return whole;
  const pairs = text.matchAll(/([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+)/g);
  return Object.fromEntries(
    [...pairs].map(([, name = '', value = '']) => {
      const json = jsonIn(value);
      return [name, json === undefined ? word(value) : json];
    }),
  );
}

function folder(text: string | undefined): { path?: string } {
  return text ? { path: word(text) } : {};
}

/** Removes the quotes around a word. */
function word(text: string | undefined): string {
  const trimmed = (text ?? '').trim();
  return /^(["'`])(.*)\1$/s.exec(trimmed)?.[2] ?? trimmed;
}

function unescaped(text: string | undefined): string {
  return (text ?? '').replace(/\\([nt\\])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? '\\');
}

/** `*.ts` means anywhere below, as people expect. */
function globFor(pattern: string): string {
  return pattern.includes('/') ? pattern : `**/${pattern}`;
}
