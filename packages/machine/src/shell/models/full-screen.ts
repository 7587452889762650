import type { CommandWords } from '../../base/effect.js';
import { sameFor } from '../name-lists.js';

/** A program that draws on a terminal and waits for keys. */
export interface FullScreenProgram {
  name: string;
  kind: 'editor' | 'viewer';
  /** The options with which it needs no terminal. */
  without?: string;
}

interface FullScreenModel extends Omit<FullScreenProgram, 'name'> {
  /** A word that makes it work through a script, print or end. */
  scripted?: RegExp;
}

const vi: FullScreenModel = {
  kind: 'editor',
  without: '-es',
  // `+5` and `+/word` only say where to begin.
  scripted: /^(?:\+[a-z]|-[cS]|-\w*[eEsl]\w*$|--(?:cmd|headless)$)/,
};
const emacs: FullScreenModel = {
  kind: 'editor',
  without: '--batch',
  scripted: /^(?:--?batch$|--?script|-x$|--(?:fg-|bg-)?daemon)/,
};

const programs: Readonly<Record<string, FullScreenModel>> = {
  ...sameFor('vi vim nvim view vimdiff', vi),
  emacs,
  ...sameFor('nano pico micro joe hx mcedit', { kind: 'editor' }),
  top: { kind: 'viewer', without: '-b -n 1', scripted: /^(?:-?\w*b|--batch)/ },
  ...sameFor('htop btop tig lazygit ranger mc', { kind: 'viewer' }),
};

const asksOnlyAbout = /^(?:-h|-V|--help|--version)$/;

/** The first of these commands that can do nothing without a terminal; null when there is none. */
export function fullScreenProgram(commands: readonly CommandWords[]): FullScreenProgram | null {
  for (const [program, ...words] of commands) {
    const name = program?.replace(/^.*\//, '') ?? '';
    const model = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (!model) continue;
    const isScripted = (word: string | null): boolean =>
      word !== null && (asksOnlyAbout.test(word) || model.scripted?.test(word) === true);
    if (words.some(isScripted)) continue;
    const { kind, without } = model;
    return { name, kind, without };
  }
  return null;
}
