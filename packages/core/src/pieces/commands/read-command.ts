import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { readFrontMatter, textOfField } from '../front-matter.js';
import { type PieceFolder, type PieceProblem, withExtensionRoot } from '../piece.js';
import { readPieceText } from '../piece-text.js';
import { type UnusedKey, unusedKeys } from '../unused-keys.js';

/** A custom command that is known by the path of its file alone. */
export interface CommandPlace {
  /** `git:commit` for `git/commit.md`. */
  name: string;
  file: string;
  from: PieceFolder;
}

/** A prompt of the user that is called by a slash command. */
export interface CustomCommand extends CommandPlace {
  description: string;
  /** Words for what is typed after the name. */
  hint: string;
  isToml: boolean;
  template: string;
  /** Keys of other agents that change nothing here. */
  unused?: UnusedKey[];
}

const MOST_BYTES = 256 * 1024;

/** Reads the file of a custom command; gives a problem when it can't be used. */
export async function readCommand(place: CommandPlace): Promise<CustomCommand | PieceProblem> {
  const { file } = place;
  const found = (await readPieceText(file, MOST_BYTES)) ?? { file, problem: 'it is gone' };
  if ('problem' in found) return found;
  const read = file.endsWith('.toml') ? await readToml(found.text) : readMarkdown(found.text);
  if ('problem' in read) return { file, ...read };
  return { ...place, ...read, template: withExtensionRoot(read.template, place.from) };
}

type Read =
  | Pick<CustomCommand, 'description' | 'hint' | 'isToml' | 'template' | 'unused'>
  | Omit<PieceProblem, 'file'>;

function readMarkdown(text: string): Read {
  const matter = readFrontMatter(text);
  if ('problem' in matter) return matter;
  const template = terminalSafe(matter.body).trim();
  if (template === '') return { problem: 'it has no text to send to the model' };
  const firstLine = template.split('\n', 1)[0]!.replace(/^#+\s*/, '');
  return {
    description: textOfField(matter.fields['description'] ?? firstLine),
    hint: textOfField(matter.fields['argument-hint'] ?? ''),
    isToml: false,
    template,
    unused: unusedKeys('command', matter),
  };
}

async function readToml(text: string): Promise<Read> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    const { prompt, description = '' } = parse(text);
    if (typeof prompt !== 'string' || prompt.trim() === '')
      return { line: 1, problem: 'prompt is missing: it is the text for the model' };
    return {
      description: textOfField(String(description)),
      hint: '',
      isToml: true,
      template: terminalSafe(prompt).trim(),
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n', 1);
    return {
      line: error.line,
      problem: `it is not TOML (${first.replace(/^Invalid TOML document: /, '').replace(/\.$/, '')})`,
    };
  }
}
