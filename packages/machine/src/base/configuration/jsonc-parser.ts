/** The part of the library that every start needs, so that the rest of it is left out of the program. */
export { createScanner, parseTree, printParseErrorCode } from 'jsonc-parser';
