/** Stands before a mark that is one too many, so that it is text; no character, and never shown. */
export const noMark = '\ufdd0';
