import { extname } from 'node:path';

/** The kinds of nodes that count as declarations in a grammar. */
export interface Grammar {
  name: string;
  /** Declarations whose inside is looked at too: classes, namespaces. */
  holders: ReadonlySet<string>;
  /** Declarations whose inside is left out: functions, types. */
  leaves: ReadonlySet<string>;
  /** Declarations that count at the top of a file alone: variables. */
  topmost?: ReadonlySet<string>;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const script = {
  holders: set('class_declaration abstract_class_declaration interface_declaration internal_module module'),
  leaves: set(
    'function_declaration generator_function_declaration function_signature type_alias_declaration enum_declaration method_definition method_signature abstract_method_signature',
  ),
  topmost: set('lexical_declaration variable_declaration'),
};

const grammars: Record<string, Grammar> = {
  typescript: { name: 'typescript', ...script },
  tsx: { name: 'tsx', ...script },
  python: {
    name: 'python',
    holders: set('class_definition'),
    leaves: set('function_definition'),
  },
  go: {
    name: 'go',
    holders: set(''),
    leaves: set('function_declaration method_declaration type_spec type_alias'),
    topmost: set('const_spec var_spec'),
  },
  rust: {
    name: 'rust',
    holders: set('impl_item trait_item mod_item'),
    leaves: set(
      'function_item function_signature_item struct_item enum_item union_item type_item const_item static_item macro_definition',
    ),
  },
  java: {
    name: 'java',
    holders: set(
      'class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration',
    ),
    leaves: set('method_declaration constructor_declaration'),
  },
  'c-sharp': {
    name: 'c-sharp',
    holders: set(
      'namespace_declaration class_declaration interface_declaration struct_declaration record_declaration enum_declaration',
    ),
    leaves: set('method_declaration constructor_declaration property_declaration delegate_declaration'),
  },
  cpp: {
    name: 'cpp',
    holders: set('class_specifier struct_specifier namespace_definition'),
    leaves: set('function_definition enum_specifier type_definition alias_declaration preproc_function_def'),
    topmost: set('declaration'),
  },
  ruby: {
    name: 'ruby',
    holders: set('class module'),
    leaves: set('method singleton_method'),
  },
  php: {
    name: 'php',
    holders: set(
      'class_declaration interface_declaration trait_declaration enum_declaration namespace_definition',
    ),
    leaves: set('function_definition method_declaration'),
  },
  bash: { name: 'bash', holders: set(''), leaves: set('function_definition') },
};

const byEnding: Record<string, string> = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'tsx',
  '.js': 'tsx',
  '.jsx': 'tsx',
  '.mjs': 'tsx',
  '.cjs': 'tsx',
  '.py': 'python',
  '.pyi': 'python',
  '.go': 'go',
  '.rs': 'rust',
  '.java': 'java',
  '.cs': 'c-sharp',
  '.c': 'cpp',
  '.h': 'cpp',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.cxx': 'cpp',
  '.hh': 'cpp',
  '.hpp': 'cpp',
  '.rb': 'ruby',
  '.php': 'php',
  '.sh': 'bash',
};

/** The grammar of a file; undefined where there is none. */
export function grammarOf(path: string): Grammar | undefined {
  return grammars[byEnding[extname(path)] ?? ''];
}
