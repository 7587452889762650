/** A call that no careful model would send, and that must be refused whatever the rules allow. */
export interface MalformedCall {
  tool: string;
  mistake: string;
  /** The arguments as JSON. Text, because some of them are too deep to be printed. */
  json: string;
}

/** JSON that stands for a value of which no JavaScript object is made. */
class Json {
  constructor(readonly text: string) {}
}

interface Shape {
  /** Arguments that would work. */
  good: Record<string, unknown>;
  /** Parameters that name a place. */
  paths: readonly string[];
  texts: readonly string[];
  numbers?: readonly string[];
  switches?: readonly string[];
  lists?: readonly string[];
}

const shapes: Record<string, Shape> = {
  list_directory: {
    good: { path: '.' },
    paths: ['path'],
    texts: [],
    switches: ['include_ignored'],
    lists: ['ignore'],
  },
  read_file: {
    good: { absolute_path: 'a.txt' },
    paths: ['absolute_path'],
    texts: ['pages'],
    numbers: ['offset', 'limit'],
  },
  write_file: {
    good: { file_path: 'a.txt', content: 'changed\n' },
    paths: ['file_path'],
    texts: ['content'],
  },
  grep_search: {
    good: { pattern: 'needle' },
    paths: ['path'],
    texts: ['pattern', 'glob'],
    numbers: ['context', 'limit'],
    switches: ['case_sensitive', 'literal', 'files_only', 'include_ignored'],
  },
  glob: {
    good: { pattern: '**' },
    paths: ['path'],
    texts: ['pattern'],
    switches: ['case_sensitive', 'include_ignored'],
  },
  edit: {
    good: { file_path: 'a.txt', old_string: 'needle', new_string: 'changed' },
    paths: ['file_path'],
    texts: ['old_string', 'new_string'],
    switches: ['replace_all'],
  },
  read_many_files: {
    good: { paths: ['a.txt'] },
    paths: [],
    texts: [],
    switches: ['recursive', 'use_default_excludes'],
    lists: ['paths', 'include', 'exclude'],
  },
};

const MEGABYTE = 1024 * 1024;
const proto = (value: unknown): Json => new Json(`{"__proto__":${JSON.stringify(value)}}`);
const nested = new Json('['.repeat(50_000) + ']'.repeat(50_000));

function toJson(value: unknown): string {
  if (value instanceof Json) return value.text;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${toJson(item)}`);
  return `{${entries.join(',')}}`;
}

/** For a place: each names something that is not there, not allowed, or not a name. */
const badPaths: [string, unknown][] = [
  ['an object for a path', { path: 'a.txt' }],
  ['a list for a path', ['a.txt', 'b.txt']],
  ['NUL for a path', '\0'],
  ['NUL inside a path', 'a.txt\0.png'],
  ['a lone surrogate in a path', 'a\uD800.txt'],
  ['a path above the workspace', '../../../../etc/passwd'],
  ['an absolute path elsewhere', '/etc/passwd'],
  ['a path of 5,000 characters', 'x'.repeat(5_000)],
  ['a path of 2,500 folders', 'd/'.repeat(2_500)],
  ['a path of a megabyte', 'y'.repeat(MEGABYTE)],
  ['a home path', '~/.ssh/id_rsa'],
  ['a path below a file', 'a.txt/inside/it'],
  ['a list nested too deep for a path', nested],
];

/** For a text that is not a place. */
const badTexts: [string, unknown][] = [
  ['an object for text', { text: 'needle' }],
  ['a list for text', ['needle', 'changed']],
  ['prototype keys for text', proto({ polluted: true })],
  ['a list nested too deep for text', nested],
];

const badNumbers: [string, unknown][] = [
  ['words for a number', 'many'],
  ['a fraction', 1.5],
  ['a number with a unit', '10 lines'],
  ['an object for a number', { value: 1 }],
  ['a list for a number', [1]],
  ['true for a number', true],
];

const badSwitches: [string, unknown][] = [
  ['a word for a switch', 'perhaps'],
  ['a number for a switch', 7],
  ['an object for a switch', { value: true }],
  ['a list for a switch', [true]],
];

const badLists: [string, unknown][] = [
  ['an object for a list', { 0: 'a.txt' }],
  ['objects in a list', [{ path: 'a.txt' }]],
  ['nulls in a list', [null]],
  ['lists in a list', [['a.txt']]],
  ['an empty name in a list', ['']],
  ['a list of ten thousand', Array.from({ length: 10_000 }, (_, index) => `f${index}`)],
  ['a list nested too deep', nested],
];

/** Arguments that are no arguments at all, for any tool. */
const noArguments: [string, unknown][] = [
  ['null', null],
  ['a number', 42],
  ['true', true],
  ['a list', ['a.txt']],
  ['text', 'a.txt'],
  ['an empty object', {}],
  ['broken JSON', '{"file_path": , "path": , }'],
  [
    'JSON that stops inside a text',
    '{"file_path":"a.txt","path":"a.txt","absolute_path":"a.txt","pattern":"nee',
  ],
  ['JSON that is a list', '["a.txt"]'],
  ['JSON that is null', 'null'],
  ['prose', 'Please read the file a.txt for me.'],
  ['a megabyte of brackets', '['.repeat(MEGABYTE)],
  ['prototype keys alone', proto({ path: 'a.txt', file_path: 'a.txt' })],
  ['a constructor', { constructor: { prototype: { path: '.' } } }],
  ['keys nobody knows', { file: 'a.txt', text: 'changed', query: 'needle', dir: '.' }],
  ['keys in capitals', { PATH: '.', FILE_PATH: 'a.txt', CONTENT: 'x', PATTERN: 'x', PATHS: ['a.txt'] }],
  ['an object nested too deep', new Json(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)],
];

/** An edit that would work. */
const edit = { file_path: 'a.txt', old_string: 'needle', new_string: 'x' };

const specific: [tool: string, mistake: string, args: unknown][] = [
  ['write_file', 'NUL in the content', { file_path: 'a.txt', content: 'a\0b' }],
  ['write_file', 'half a character', { file_path: 'n.txt', content: 'a\uDC00' }],
  ['write_file', 'a folder', { file_path: 'dir', content: 'x' }],
  ['write_file', 'two paths', { file_path: 'n.txt', path: 'm.txt', content: 'x' }],
  ['write_file', 'shortened text', { file_path: 'n.txt', content: 'a\n// ... rest of the code\n' }],
  ['edit', 'NUL in the new text', { ...edit, new_string: '\0' }],
  ['edit', 'half a character', { ...edit, new_string: '\uD800' }],
  ['edit', 'nothing but blanks', { ...edit, old_string: ' \n' }],
  ['edit', 'no change', { ...edit, new_string: 'needle' }],
  ['edit', 'text that is not there', { ...edit, old_string: 'thread' }],
  ['edit', 'a new file over an old one', { ...edit, old_string: '' }],
  ['edit', 'the wrong count', { ...edit, expected_replacements: 3 }],
  ['edit', 'a count that is none', { ...edit, expected_replacements: -1 }],
  ['edit', 'a path below nothing with text to replace', { ...edit, file_path: 'q/r.txt' }],
  ['read_file', 'two paths', { file_path: 'a.txt', path: 'b.txt' }],
  ['read_file', 'a line that nobody has', { absolute_path: 'a.txt', offset: 1e300 }],
  ['read_file', 'no lines', { absolute_path: 'a.txt', limit: 0 }],
  ['read_file', 'pages of nothing', { absolute_path: 'a.txt', pages: 'all of them' }],
  ['grep_search', 'a broken pattern', { pattern: '(unclosed' }],
  ['grep_search', 'an empty pattern', { pattern: '' }],
  ['grep_search', 'a pattern of a megabyte', { pattern: 'z'.repeat(MEGABYTE) }],
  ['grep_search', 'NUL in a pattern', { pattern: 'a\0' }],
  ['grep_search', 'half a character in a pattern', { pattern: '\uD83D' }],
  ['grep_search', 'two places', { pattern: 'x', path: '.', dir_path: 'dir' }],
  ['grep_search', 'too much context', { pattern: 'x', context: 1_000 }],
  ['glob', 'an empty pattern', { pattern: '' }],
  ['glob', 'NUL in a pattern', { pattern: '**\0' }],
  ['glob', 'a pattern that climbs out', { pattern: '*/../../../etc/*' }],
  ['glob', 'a pattern elsewhere', { pattern: '/etc/*' }],
  ['glob', 'too many braces', { pattern: '{a,b}'.repeat(20) }],
  ['read_many_files', 'no paths', { paths: [] }],
  ['read_many_files', 'only places elsewhere', { paths: ['/etc/passwd', '../../x', '~/x'] }],
  ['read_many_files', 'only odd names', { paths: ['\0', 'a\uD800', 'x'.repeat(5_000)] }],
  ['list_directory', 'a file', { path: 'a.txt' }],
  ['list_directory', 'NUL in a pattern to leave out', { path: '.', ignore: ['\0'] }],
  ['read_fil', 'a tool that is not there', { absolute_path: 'a.txt' }],
  ['__proto__', 'a prototype as a tool', {}],
  ['', 'a tool without a name', {}],
  ['x'.repeat(MEGABYTE), 'a tool with a name of a megabyte', {}],
  ['edit\nwrite_file', 'two tools in one name', {}],
];

/** Every tool with every mistake that can be made in one of its parameters. */
export function malformedCalls(): MalformedCall[] {
  const calls = specific.map(([tool, mistake, args]) => ({ tool, mistake, args }));
  for (const [tool, shape] of Object.entries(shapes)) {
    for (const [mistake, args] of noArguments) calls.push({ tool, mistake, args });
    for (const required of Object.keys(shape.good)) {
      const { [required]: _left, ...rest } = shape.good;
      calls.push({ tool, mistake: `no ${required}`, args: rest });
      calls.push({ tool, mistake: `null for ${required}`, args: { ...shape.good, [required]: null } });
    }
    const wrong: [readonly string[] | undefined, [string, unknown][]][] = [
      [shape.paths, badPaths],
      [shape.texts, badTexts],
      [shape.numbers, badNumbers],
      [shape.switches, badSwitches],
      [shape.lists, badLists],
    ];
    for (const [names = [], values] of wrong)
      for (const name of names)
        for (const [mistake, value] of values)
          calls.push({ tool, mistake: `${mistake}: ${name}`, args: { ...shape.good, [name]: value } });
  }
  return calls.map(({ tool, mistake, args }) => ({ tool, mistake, json: toJson(args) }));
}
