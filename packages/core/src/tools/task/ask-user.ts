import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { McpElicitAnswer, McpElicitRequest } from '@toolwright/mcp/contract/connection.js';
import { BaseTool, type ToolResult } from '../tools.js';

export type AskUserParams = { question: string; choices?: string[]; several?: boolean };

/** Puts a form to the user; `server` is empty where the model asks. */
export type AskForm = (request: McpElicitRequest, signal: AbortSignal) => Promise<McpElicitAnswer>;

const MOST_CHOICES = 12;
const LONGEST_CHOICE = 200;
const LONGEST_QUESTION = 2_000;
const OTHER = 'Something else';

/** Asks the user, with choices where there are some. Offered when a task needs it, and only where somebody can be asked. */
export class AskUserTool extends BaseTool<AskUserParams> {
  constructor(private readonly ask: AskForm) {
    super({
      name: 'ask_user',
      displayName: 'AskUser',
      description:
        'Asks the user something that only they can decide and that the work depends on. Give choices where you can; the user may always answer otherwise. Do not ask for permission: calls are asked about by themselves.',
      parameterSchema: {
        type: 'object',
        properties: {
          question: { type: 'string' },
          choices: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from.' },
          several: { type: 'boolean', description: 'The user may choose more than one.' },
        },
        required: ['question'],
      },
    });
  }

  override getDescription({ question }: AskUserParams): string {
    return `Ask: ${question}`;
  }

  override effects(): Effect[] {
    return [];
  }

  protected override problem({ question, choices = [] }: AskUserParams): string | null {
    if (question.trim() === '' || question.length > LONGEST_QUESTION)
      return `question must be a text of at most ${LONGEST_QUESTION} characters.`;
    if (choices.length > MOST_CHOICES) return `There may be ${MOST_CHOICES} choices.`;
    const isOdd = (choice: string): boolean => choice.trim() === '' || choice.length > LONGEST_CHOICE;
    return choices.some(isOdd) ? `Each choice needs a text of at most ${LONGEST_CHOICE} characters.` : null;
  }

  protected override async run(
    { question, choices = [], several }: AskUserParams,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const message = foreignText(question, LONGEST_QUESTION);
    const first = await this.#form(message, answerSchema(choices, several === true), signal);
    const answer = first === OTHER ? await this.#form(message, answerSchema([], false), signal) : first;
    return { llmContent: `The user answers: ${answer}`, returnDisplay: `${message}\n> ${answer}` };
  }

  async #form(message: string, answer: JsonObject, signal: AbortSignal): Promise<string> {
    const schema = { type: 'object', properties: { answer }, required: ['answer'] };
    const given = await this.ask({ kind: 'form', server: '', message, schema }, signal);
    signal.throwIfAborted();
    const value = given.action === 'accept' ? given.content?.['answer'] : undefined;
    if (value === undefined)
      throw new ToolError(
        'denied',
        'The user does not answer this. Continue as well as you can, or stop and say what you need.',
      );
    return Array.isArray(value) ? value.join(', ') : String(value);
  }
}

function answerSchema(choices: readonly string[], several: boolean): JsonObject {
  if (choices.length === 0) return { type: 'string', title: 'Your answer' };
  if (several) return { type: 'array', title: 'Your answers', items: { type: 'string', enum: [...choices] } };
  return { type: 'string', title: 'Your answer', enum: [...choices, OTHER] };
}
