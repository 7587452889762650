import { join } from 'node:path';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import {
  type FrontMatter,
  type FrontValue,
  listOfField,
  readFrontMatter,
  textOfField,
} from '../front-matter.js';
import { type PieceFolder, type PieceProblem, withExtensionRoot } from '../piece.js';
import { readPieceText } from '../piece-text.js';
import { type UnusedKey, unusedKeys } from '../unused-keys.js';

/** A skill that is known by the name of its folder alone. */
export interface SkillPlace {
  name: string;
  /** The folder of the skill. */
  folder: string;
  from: PieceFolder;
}

/** Instructions for a kind of work, as their file tells them. */
export interface Skill extends SkillPlace {
  description: string;
  license?: string;
  compatibility?: string;
  metadata?: Record<string, string>;
  /** Tools that its author thinks of. It grants nothing. */
  allowedTools?: string[];
  /** True if only the user may call for it. */
  isForUserOnly: boolean;
  /** True if only the model may load it: it is no slash command. */
  isForModelOnly?: boolean;
  /** Keys of other agents that change nothing here. */
  unused?: UnusedKey[];
  body: string;
}

/** Names that the standard for skills allows. */
export const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_COMPATIBILITY = 500;
const MOST_BYTES = 256 * 1024;

function skillFile({ folder }: Pick<SkillPlace, 'folder'>): string {
  return join(folder, 'SKILL.md');
}

/** The instructions, with the folder in place of the name that authors have for it. */
export function skillBody({ body }: Pick<Skill, 'body'>, folder: string): string {
  return body.replace(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder);
}

/** A skill as its file has it, or what is wrong with the file. */
export async function readSkill(place: SkillPlace): Promise<Skill | PieceProblem> {
  const file = skillFile(place);
  const found = await readPieceText(file, MOST_BYTES);
  if (found === null) return { file: place.folder, problem: 'this folder has no SKILL.md' };
  if ('problem' in found) return found;
  const matter = readFrontMatter(found.text);
  if ('problem' in matter) return { file, ...matter };
  const wrong = problemOf(place, matter);
  return wrong ? { file, ...wrong } : skillOf(place, matter);
}

export function unusableName(folder: string): string {
  return `the folder ${JSON.stringify(folder.slice(0, 80))} can't be the name of a skill: at most ${LONGEST_NAME} lower-case letters, digits and single hyphens`;
}

function problemOf(
  { name: folder }: SkillPlace,
  { fields, lines }: FrontMatter,
): Omit<PieceProblem, 'file'> | null {
  const { name = folder, description, compatibility } = fields;
  if (!SKILL_NAME.test(folder) || folder.length > LONGEST_NAME) return { problem: unusableName(folder) };
  if (name !== folder)
    return {
      line: lines['name'],
      problem: `the name ${JSON.stringify(String(name).slice(0, 80))} differs from the name of its folder, ${folder}; make them equal`,
    };
  if (description === undefined || textOfField(description) === '')
    return {
      line: lines['description'] ?? 1,
      problem: 'description is missing in the front matter: it tells the model when to use the skill',
    };
  const { length } = textOfField(description);
  if (length > LONGEST_DESCRIPTION)
    return {
      line: lines['description'],
      problem: `the description has ${length} characters; ${LONGEST_DESCRIPTION} are allowed`,
    };
  if (compatibility !== undefined && textOfField(compatibility).length > LONGEST_COMPATIBILITY)
    return {
      line: lines['compatibility'],
      problem: `compatibility is longer than ${LONGEST_COMPATIBILITY} characters`,
    };
  return null;
}

function skillOf(place: SkillPlace, { fields, body }: FrontMatter): Skill {
  const { description, license, compatibility, metadata } = fields;
  const allowed = fields['allowed-tools'];
  return {
    ...place,
    description: textOfField(description!),
    license: license === undefined ? undefined : textOfField(license),
    compatibility: compatibility === undefined ? undefined : textOfField(compatibility),
    metadata: isRecord(metadata) ? metadata : undefined,
    allowedTools: allowed === undefined ? undefined : listOfField(allowed),
    isForUserOnly: textOfField(fields['disable-model-invocation'] ?? '') === 'true',
    isForModelOnly: textOfField(fields['user-invocable'] ?? '') === 'false' || undefined,
    unused: unusedKeys('skill', { fields }),
    body: withExtensionRoot(terminalSafe(body).trim(), place.from),
  };
}

function isRecord(value: FrontValue | undefined): value is Record<string, string> {
  return typeof value === 'object' && !Array.isArray(value);
}
