import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './args.js';
import { promptFlags } from './flags.js';

describe('an unknown flag', () => {
  it('is answered with the help of the command that was typed', () => {
    expect(() => parseCommandLine(['--nope'], [], 'toolwright fleet')).toThrow(
      /^Unknown flag --nope\. toolwright fleet --help lists the flags\.$/,
    );
  });

  it.each([
    ['--json', '--output-format json'],
    ['--yes', '--yolo'],
    ['--cwd', '--workspace'],
    ['--permission-mode', '--approval-mode'],
    ['--modle', '--model'],
  ])('%s of a prompt means %s', (typed, meant) => {
    expect(() => parseCommandLine([typed], promptFlags)).toThrow(
      `Unknown flag ${typed}. Did you mean ${meant}? toolwright --help lists the flags.`,
    );
  });

  it('is not taken for a flag that the command does not have', () => {
    expect(() => parseCommandLine(['--yes'], [], 'toolwright trust')).toThrow(
      /^Unknown flag --yes\. toolwright trust --help/,
    );
  });
});
