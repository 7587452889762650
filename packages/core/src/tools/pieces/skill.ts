import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { ExtensionNote } from '../../pieces/extension-notes.js';
import { describePieceProblem } from '../../pieces/piece.js';
import type { Skills } from '../../pieces/skills/find-skills.js';
import { type Skill, skillBody } from '../../pieces/skills/read-skill.js';
import { rankTools, type Searchable } from '../loading/tool-search.js';
import { BaseTool, type ToolResult } from '../tools.js';

type SkillParams = { name?: string; query?: string };

export interface SkillNeeds {
  skills: Skills;
  /** Notes of extensions, which a search finds beside the skills. */
  notes: readonly ExtensionNote[];
  /** Skills in words, for the description. */
  list: string;
  /** Lets tools and commands read the folder of a skill; gives its real path. */
  open(folder: string): string;
  /** Throws when the extension that brings a skill is not what the user accepted. */
  requireAccepted(path: string, signal: AbortSignal): Promise<void>;
}

const MOST_FOUND = 10;

/** Loads the instructions of a skill. Offered where there are skills. */
export class SkillTool extends BaseTool<SkillParams> {
  readonly #needs: SkillNeeds;

  constructor(needs: SkillNeeds) {
    super({
      name: 'skill',
      displayName: 'Skill',
      description:
        `Loads a skill: instructions that the user keeps for a kind of work. Load one by its name before you begin work that it is about, and follow it.\n\n${needs.list}`.trim(),
      parameterSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The skill to load.' },
          query: { type: 'string', description: 'Words about the work, to find skills.' },
        },
      },
    });
    this.#needs = needs;
  }

  override getDescription({ name, query = '' }: SkillParams): string {
    return name === undefined ? `Look for skills: ${query}` : `Load the skill ${name}`;
  }

  override effects(): Effect[] {
    return [];
  }

  protected override problem({ name, query }: SkillParams): string | null {
    return (name === undefined) === (query === undefined) ? 'Give either name or query.' : null;
  }

  protected override async run({ name, query = '' }: SkillParams, signal: AbortSignal): Promise<ToolResult> {
    return name === undefined ? this.#search(query, signal) : this.#load(name, signal);
  }

  async #load(name: string, signal: AbortSignal): Promise<ToolResult> {
    const { skills, open, requireAccepted } = this.#needs;
    const skill = await skills.read(name);
    if (skill === null) throw await unknownSkill(name, skills);
    if ('problem' in skill)
      throw new ToolError('failed', `The skill can't be used. ${describePieceProblem(skill)}`);
    if (skill.isForUserOnly)
      throw new ToolError('denied', `The skill ${name} is for the user alone, who calls it by /${name}.`);
    await requireAccepted(skill.folder, signal);
    // A skill of an extension may name files beside the skills.
    if (skill.from.extension) open(skill.from.extension.root);
    return {
      llmContent: skillText(skill, open(skill.folder)),
      returnDisplay: `Loaded the skill ${name} (${skill.from.shown})`,
    };
  }

  async #search(query: string, signal: AbortSignal): Promise<ToolResult> {
    const { skills } = await this.#needs.skills.readAll(signal);
    const notes = this.#needs.notes.map(asSearched);
    const offered = skills.filter(({ isForUserOnly }) => !isForUserOnly);
    const found = rankTools(query, [...offered, ...notes]).slice(0, MOST_FOUND);
    if (found.length === 0)
      return {
        llmContent: `No skill fits "${foreignText(query)}". Continue without one, or try other words.`,
        returnDisplay: 'No such skill.',
      };
    return {
      llmContent: found.map(({ name, description }) => `- ${name}: ${description}`).join('\n'),
      returnDisplay: `Found ${found.map(({ name }) => name).join(', ')}`,
    };
  }
}

const NOTE_LENGTH = 300;

/** A note is read where it is; no skill has a name with a space. */
function asSearched({ extension, path, text }: ExtensionNote): Searchable {
  const begin = text.length > NOTE_LENGTH ? `${text.slice(0, NOTE_LENGTH)}…` : text;
  return {
    name: `notes of ${extension}`,
    description: `notes of the extension, in ${path}: ${begin.replace(/\s+/g, ' ')}`,
  };
}

/** The instructions with the place of the files that belong to them. */
function skillText(skill: Skill, folder: string): string {
  return `The skill ${skill.name}. The user keeps these instructions for this kind of work; follow them for the task at hand. The files that they name are in ${folder}: read them and run scripts by that path.\n\n${skillBody(skill, folder)}`;
}

async function unknownSkill(name: string, skills: Skills): Promise<ToolError> {
  const { places } = await skills.look();
  const near = nearest(
    name,
    places.map((place) => place.name),
  );
  const hint = didYouMean(near) || 'Give a query to search them.';
  return new ToolError(
    'not_found',
    `There is no skill called ${JSON.stringify(name.slice(0, 100))}. ${hint}`,
  );
}
