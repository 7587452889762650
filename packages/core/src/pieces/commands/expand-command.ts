import type { CustomCommand } from './read-command.js';
import { fillTemplate } from './template.js';

/** A custom command with its arguments, files and outputs put in. */
export interface ExpandedCommand {
  /** The whole text for the model. */
  text: string;
  /** The part of it that was written or typed, not printed by a command: files are named there by `@path`. */
  written: string;
}

/** Runs a shell command like a call of the model; throws when it may not run. */
export type RunEmbedded = (command: string) => Promise<string>;

/** Fills in what was typed, and puts the output of embedded commands in their place, one after the other. */
export async function expandCommand(
  { name, template, isToml }: CustomCommand,
  typed: string,
  run: RunEmbedded,
): Promise<ExpandedCommand> {
  const texts: string[] = [];
  const written: string[] = [];
  for (const segment of fillTemplate(template, typed, { isToml, typed: `/${name}` })) {
    if (segment.kind === 'command') {
      texts.push((await run(segment.command)).trimEnd());
      continue;
    }
    const text = withMentions(segment.text);
    texts.push(text);
    written.push(text);
  }
  return { text: texts.join(''), written: written.join('\n') };
}

/** `@{path}` as the prompt writes it: `@path`. */
function withMentions(text: string): string {
  return text.replace(/@\{([^{}\n]+)\}/g, (_all, path: string) => `@${path.trim().replaceAll(' ', '\\ ')}`);
}
