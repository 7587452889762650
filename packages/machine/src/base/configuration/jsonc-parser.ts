/** The part of the library that every start needs, so that the bundler leaves out the rest. */
export { createScanner, parseTree, printParseErrorCode } from 'jsonc-parser';
