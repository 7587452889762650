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

const specific: { tool: string; mistake: string; args: unknown }[] = [
  { tool: 'write_file', mistake: 'NUL in the content', args: { file_path: 'a.txt', content: 'a\0b' } },
  { tool: 'write_file', mistake: 'half a character', args: { file_path: 'n.txt', content: 'a\uDC00' } },
  { tool: 'write_file', mistake: 'a folder', args: { file_path: 'dir', content: 'x' } },
  { tool: 'write_file', mistake: 'two paths', args: { file_path: 'n.txt', path: 'm.txt', content: 'x' } },
  {
    tool: 'write_file',
    mistake: 'shortened text',
    args: { file_path: 'n.txt', content: 'a\n// ... rest of the code\n' },
  },
  {
    tool: 'edit',
    mistake: 'NUL in the new text',
    args: { file_path: 'a.txt', old_string: 'needle', new_string: '\0' },
  },
  {
    tool: 'edit',
    mistake: 'half a character',
    args: { file_path: 'a.txt', old_string: 'needle', new_string: '\uD800' },
  },
  {
    tool: 'edit',
    mistake: 'nothing but blanks',
    args: { file_path: 'a.txt', old_string: ' \n', new_string: 'x' },
  },
  {
    tool: 'edit',
    mistake: 'no change',
    args: { file_path: 'a.txt', old_string: 'needle', new_string: 'needle' },
  },
  {
    tool: 'edit',
    mistake: 'text that is not there',
    args: { file_path: 'a.txt', old_string: 'thread', new_string: 'x' },
  },
  {
    tool: 'edit',
    mistake: 'a new file over an old one',
    args: { file_path: 'a.txt', old_string: '', new_string: 'x' },
  },
  {
    tool: 'edit',
    mistake: 'the wrong count',
    args: { file_path: 'a.txt', old_string: 'needle', new_string: 'x', expected_replacements: 3 },
  },
  {
    tool: 'edit',
    mistake: 'a count that is none',
    args: { file_path: 'a.txt', old_string: 'needle', new_string: 'x', expected_replacements: -1 },
  },
  {
    tool: 'edit',
    mistake: 'what only a person may write',
    args: {
      file_path: 'a.txt',
      old_string: 'x',
      new_string: 'y',
      written_instead: { content: 'z', from: 'no file' },
    },
  },
  {
    tool: 'edit',
    mistake: 'a path below nothing with text to replace',
    args: { file_path: 'q/r.txt', old_string: 'x', new_string: 'y' },
  },
  { tool: 'read_file', mistake: 'two paths', args: { file_path: 'a.txt', path: 'b.txt' } },
  {
    tool: 'read_file',
    mistake: 'a line that nobody has',
    args: { absolute_path: 'a.txt', offset: 1e300 },
  },
  { tool: 'read_file', mistake: 'no lines', args: { absolute_path: 'a.txt', limit: 0 } },
  { tool: 'read_file', mistake: 'pages of nothing', args: { absolute_path: 'a.txt', pages: 'all of them' } },
  { tool: 'grep_search', mistake: 'a broken pattern', args: { pattern: '(unclosed' } },
  { tool: 'grep_search', mistake: 'an empty pattern', args: { pattern: '' } },
  { tool: 'grep_search', mistake: 'a pattern of a megabyte', args: { pattern: 'z'.repeat(MEGABYTE) } },
  { tool: 'grep_search', mistake: 'NUL in a pattern', args: { pattern: 'a\0' } },
  { tool: 'grep_search', mistake: 'half a character in a pattern', args: { pattern: '\uD83D' } },
  { tool: 'grep_search', mistake: 'two places', args: { pattern: 'x', path: '.', dir_path: 'dir' } },
  { tool: 'grep_search', mistake: 'too much context', args: { pattern: 'x', context: 1_000 } },
  { tool: 'glob', mistake: 'an empty pattern', args: { pattern: '' } },
  { tool: 'glob', mistake: 'NUL in a pattern', args: { pattern: '**\0' } },
  { tool: 'glob', mistake: 'a pattern that climbs out', args: { pattern: '*/../../../etc/*' } },
  { tool: 'glob', mistake: 'a pattern elsewhere', args: { pattern: '/etc/*' } },
  { tool: 'glob', mistake: 'too many braces', args: { pattern: '{a,b}'.repeat(20) } },
  { tool: 'read_many_files', mistake: 'no paths', args: { paths: [] } },
  {
    tool: 'read_many_files',
    mistake: 'only places elsewhere',
    args: { paths: ['/etc/passwd', '../../x', '~/x'] },
  },
  {
    tool: 'read_many_files',
    mistake: 'only odd names',
    args: { paths: ['\0', 'a\uD800', 'x'.repeat(5_000)] },
  },
  { tool: 'list_directory', mistake: 'a file', args: { path: 'a.txt' } },
  { tool: 'list_directory', mistake: 'NUL in a pattern to leave out', args: { path: '.', ignore: ['\0'] } },
  { tool: 'read_fil', mistake: 'a tool that is not there', args: { absolute_path: 'a.txt' } },
  { tool: '__proto__', mistake: 'a prototype as a tool', args: {} },
  { tool: '', mistake: 'a tool without a name', args: {} },
  { tool: 'x'.repeat(MEGABYTE), mistake: 'a tool with a name of a megabyte', args: {} },
  { tool: 'edit\nwrite_file', mistake: 'two tools in one name', args: {} },
];

/** Every tool with every mistake that can be made in one of its parameters. */
export function malformedCalls(): MalformedCall[] {
  const calls = [...specific];
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
