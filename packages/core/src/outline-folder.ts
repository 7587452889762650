/** The folder with the grammars, beside this file wherever it was built to. */
export const grammarFolder = (): URL => new URL('./grammars/', import.meta.url);
