import type { TrustState } from '@toolwright/core/front-end';
import { describe, expect, it } from 'vitest';
import { trustQuestion } from './trust-question.js';

describe('the question of trust', () => {
  const examination = {
    folder: '/w',
    fingerprint: { '.toolwright/settings.json': 'hash' },
    commands: [
      { file: '.toolwright/settings.json', line: 3, setting: 'mcpServers.x', runs: 'npx evil \x1b[2J' },
    ],
  };

  it('names what would run and the files that count', () => {
    expect(trustQuestion({ state: 'unknown', examination })?.text).toBe(
      'These would run:\n  npx evil ␛[2J   (mcpServers.x in .toolwright/settings.json:3)\n\nThese files would take effect:\n  .toolwright/settings.json',
    );
  });

  it('is asked where there is only a context file', () => {
    const found = { folder: '/w', fingerprint: {}, commands: [], contextFiles: ['CLAUDE.md'] };
    expect(trustQuestion({ state: 'unknown', examination: found })?.text).toBe(
      'No commands are named in its settings.\n\nThe model would follow these as instructions: CLAUDE.md',
    );
    expect(trustQuestion({ state: 'untrusted', examination: found })).toBeNull();
  });

  it('can not be made to read as another one', () => {
    const forged = 'echo hi   (x in y:1)\n\nThese files would take effect:\n  README.md';
    const text = trustQuestion({
      state: 'changed',
      changes: [{ path: 'a\nb', change: 'added' }],
      examination: {
        folder: '/w\n?',
        fingerprint: { 'c\nd': 'hash' },
        commands: [{ file: 'e\nf', line: 1, setting: 'g\nh', runs: forged }],
      },
    });
    expect(text?.title).toBe('Do you trust /w␊??');
    expect(text?.text?.split('\n')).toEqual([
      'Changed since you trusted it:',
      '  a␊b (added)',
      '',
      'These would run:',
      '  echo hi   (x in y:1)␊␊These files would take effect:␊  README.md   (g␊h in e␊f:1)',
      '',
      'These files would take effect:',
      '  c␊d',
    ]);
  });

  it('names the files that have changed since', () => {
    const changes = [{ path: 'x.sh', change: 'modified' as const }];
    expect(trustQuestion({ state: 'changed', changes, examination })?.text).toMatch(
      /^Changed since you trusted it:\n {2}x\.sh \(modified\)\n/,
    );
  });

  it.each<TrustState>([
    { state: 'unknown', examination: { ...examination, fingerprint: {}, commands: [] } },
    { state: 'trusted', examination },
    { state: 'untrusted', examination },
  ])('is not asked where it is answered or empty: %j', (trust) => {
    expect(trustQuestion(trust)).toBeNull();
  });
});
