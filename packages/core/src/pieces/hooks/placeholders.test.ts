import { expect, it } from 'vitest';
import { unfilledPlaceholder, withSeparators } from './placeholders.js';

it('the separators of Gemini CLI stand for a slash', () => {
  const command = ['"$', '{extensionPath}$', '{/}hooks$', '{pathSeparator}a.sh"'].join('');
  expect(withSeparators(command)).toBe(['"$', '{extensionPath}/hooks/a.sh"'].join(''));
});

const braced = (name: string): string => ['$', '{', name, '}'].join('');

it.each([
  [`${braced('CLAUDE_PLUGIN_ROOT')}/a.sh`, null],
  [`${braced('CLAUDE_PLUGIN_DATA')}/a.sh`, braced('CLAUDE_PLUGIN_DATA')],
  ['"$PLUGIN_DATA"/a.sh', '$PLUGIN_DATA'],
  [braced('PLUGIN_DATA:-/tmp'), null],
  [`a.sh ${braced('user_config.key')}`, braced('user_config.key')],
  [`node -e ${braced('data.key')}`, null],
])('of a hook of an extension %s leaves %s unfilled', (command, unfilled) => {
  const from = { path: '/e/h', shown: 'h', format: 'claude' as const, isOwn: false, root: '/e' };
  expect(unfilledPlaceholder({ command, from })).toBe(unfilled);
  expect(unfilledPlaceholder({ command, from: { ...from, root: undefined as never } })).toBeNull();
});
