/** The agents by whose names hooks know the folder of the project: `$CLAUDE_PROJECT_DIR`. */
const agents = ['TOOLWRIGHT', 'CLAUDE', 'GEMINI', 'QWEN'] as const;

/** The variables that name the folder of the project. */
export const projectVariables = agents.map((agent) => `${agent}_PROJECT_DIR`);

const written = new RegExp(`["']?\\$\\{?(?:${agents.join('|')})_PROJECT_DIR\\}?["']?`, 'g');

/** The command with this folder in the place of the variables that name it. */
export function withProjectFolder(command: string, folder: string): string {
  return command.replace(written, () => folder);
}
