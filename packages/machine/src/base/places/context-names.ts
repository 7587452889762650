/** The file that tells the model about a folder. */
export const DEFAULT_CONTEXT_FILE = 'AGENTS.md';

/** Files of other agents: the first that is there counts where a folder has no `AGENTS.md`. */
export const OTHER_CONTEXT_FILES: readonly string[] = ['QWEN.md', 'GEMINI.md', 'CLAUDE.md'];
