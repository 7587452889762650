import { isToolError, type Part, type SettledCall, type Toolbox, ToolError, textOf } from '@toolwright/core';
import {
  type CustomCommand,
  describePieceProblem,
  expandCommand,
  type PieceProblem,
  readCommand,
  readSkill,
  type Skill,
  skillBody,
} from '@toolwright/core/front-end';
import { expandAtFiles } from './at-files.js';

type CustomNeeds = Pick<Toolbox, 'pieces' | 'scheduler' | 'host' | 'registry' | 'permission' | 'mcp'>;

export type ExpandedCustom = { parts: Part[]; notes: string[] } | { problem: string };

const TYPED = /^\/([A-Za-z][\w-]*(?::[A-Za-z][\w-]*)*)(?:\s+([\s\S]*))?$/;

/** The name of a custom command as typed, with what follows it; null for anything else. */
function typedCommand(text: string): { name: string; rest: string } | null {
  const [, name, rest = ''] = TYPED.exec(text) ?? [];
  return name === undefined ? null : { name, rest: rest.trim() };
}

/** The prompt that a custom command or a skill of this name stands for; null when there is none. */
export async function expandCustom(
  text: string,
  taken: readonly string[],
  { toolbox, signal }: { toolbox: CustomNeeds; signal: AbortSignal },
): Promise<ExpandedCustom | null> {
  const typed = typedCommand(text);
  if (!typed || taken.includes(typed.name)) return null;
  const { places } = await toolbox.pieces.findCommands(taken);
  const place = places.get(typed.name) ?? places.get(typed.name.toLowerCase());
  const piece = place ? await readCommand(place) : await toolbox.pieces.skills?.read(typed.name);
  if (!piece) return null;
  if ('problem' in piece) return { problem: `${describePieceProblem(piece)} /${typed.name} is off.` };
  if ('isForModelOnly' in piece && piece.isForModelOnly)
    return { problem: `/${typed.name} is a skill that only the model loads (user-invocable: false).` };
  try {
    await toolbox.pieces.requireAccepted('file' in piece ? piece.file : piece.folder, signal);
    return 'file' in piece
      ? await partsOfCommand(piece, typed.rest, { toolbox, signal })
      : partsOfSkill(piece, typed.rest, toolbox);
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { problem: `/${typed.name} was not sent. ${error.message}` };
  }
}

async function partsOfCommand(
  command: CustomCommand,
  rest: string,
  { toolbox, signal }: { toolbox: CustomNeeds; signal: AbortSignal },
): Promise<ExpandedCustom> {
  const expanded = await expandCommand(command, rest, (line) => runEmbedded(line, toolbox, signal));
  const files = await expandAtFiles(expanded.written, toolbox, signal);
  const notes = [...files.notes, ...(files.failure === undefined ? [] : [files.failure])];
  return { parts: [{ text: expanded.text }, ...files.parts.slice(1)], notes };
}

function partsOfSkill(skill: Skill, rest: string, { pieces }: CustomNeeds): ExpandedCustom {
  const { name, folder, from } = skill;
  if (from.extension) pieces.open(from.extension.root);
  const path = pieces.open(folder);
  const body = skillBody(skill, path);
  const text = body.replaceAll('$ARGUMENTS', () => rest);
  const typed = rest === '' || body.includes('$ARGUMENTS') ? '' : `\n\nARGUMENTS: ${rest}`;
  return {
    parts: [{ text: `Follow the skill ${name}. Its files are in ${path}.\n\n${text}${typed}` }],
    notes: [],
  };
}

/** Runs a command like a call of the model: the same rules and questions, and the question shows the line that would run. */
async function runEmbedded(
  command: string,
  { scheduler }: CustomNeeds,
  signal: AbortSignal,
): Promise<string> {
  const call = { id: '', name: 'run_shell_command', arguments: { command } };
  const [settled] = (await scheduler.run([call], signal, { unheard: true })) as [SettledCall];
  signal.throwIfAborted();
  if (settled.denied)
    throw new ToolError('denied', `Its command was refused: ${command} (${settled.denied.reason}).`);
  return textOf(settled.llmContent).replace(/\n?\[exit code 0\]$/, '');
}

/** The custom commands there are, and those that are off, each with what there is to say about it. */
export async function describeCustom(
  { pieces }: Pick<CustomNeeds, 'pieces'>,
  taken: readonly string[],
): Promise<[what: string, help: string][]> {
  const { places, problems } = await pieces.findCommands(taken);
  const read = await Promise.all([...places.values()].slice(0, MOST_LISTED).map(readCommand));
  const rows = read.flatMap((command): [string, string][] => {
    if ('problem' in command) return [];
    const usage = `/${command.name}${command.hint ? ` ${command.hint}` : ''}`;
    return [[usage, `${command.description.slice(0, 100)} (${command.from.shown})`]];
  });
  const off = [...problems, ...read.flatMap((command) => ('problem' in command ? [command] : []))];
  return [...rows, ...off.map((problem): [string, string] => ['Off', describePieceProblem(problem)])];
}

const MOST_LISTED = 200;

/** A custom command or a skill as a menu shows it. */
export interface CustomName {
  name: string;
  help: string;
  /** Words for what is typed after it. */
  hint: string;
  takesWords: true;
}

/** Names and descriptions for the menu, commands before skills: those known by now, while a newer look is under way. */
export function customNames(
  { pieces }: Pick<CustomNeeds, 'pieces'>,
  taken: readonly string[],
): () => CustomName[] {
  let known: CustomName[] = [];
  let isLooking = false;
  const find = namesFinder(pieces, taken);
  return () => {
    if (!isLooking) {
      isLooking = true;
      // A failure to read is reported when the command is called.
      find()
        .then((found) => {
          known = found;
        })
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    }
    return known;
  };
}

/** The same as they are now. */
export function findCustomNames(
  { pieces }: Pick<CustomNeeds, 'pieces'>,
  taken: readonly string[],
): Promise<CustomName[]> {
  return namesFinder(pieces, taken)();
}

function namesFinder(pieces: CustomNeeds['pieces'], taken: readonly string[]): () => Promise<CustomName[]> {
  // A session looks for its skills once.
  let skills: Promise<CustomName[]> | undefined;
  return async () => {
    const { places } = await pieces.findCommands(taken);
    const commands = await Promise.all([...places.values()].slice(0, MOST_LISTED).map(readCommand));
    skills ??= namesOfSkills(pieces);
    const others = (await skills).filter(({ name }) => !places.has(name) && !taken.includes(name));
    return [...commands.flatMap(nameOf), ...others];
  };
}

async function namesOfSkills({ skills }: CustomNeeds['pieces']): Promise<CustomName[]> {
  const { places = [] } = (await skills?.look()) ?? {};
  const read = await Promise.all(places.slice(0, MOST_LISTED).map(readSkill));
  return read.flatMap((skill) => ('isForModelOnly' in skill && skill.isForModelOnly ? [] : nameOf(skill)));
}

function nameOf(piece: CustomCommand | Skill | PieceProblem): CustomName[] {
  if ('problem' in piece) return [];
  const hint = 'hint' in piece ? piece.hint : '';
  return [{ name: piece.name, help: piece.description, hint, takesWords: true }];
}
