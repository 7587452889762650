import type { TrustState } from '@toolwright/core/front-end';
import type { Question } from '../question.js';
import { safeLine } from '../safe-text.js';
import { yesNoQuestion } from '../yes-no.js';

/** Null when trust would turn nothing on, or when the user has answered already. */
export function trustQuestion(trust: TrustState): Question | null {
  const { fingerprint, commands, folder, contextFiles = [] } = trust.examination;
  const files = Object.keys(fingerprint);
  if (files.length + contextFiles.length === 0) return null;
  if (trust.state === 'trusted' || trust.state === 'untrusted') return null;
  const changed =
    trust.state === 'changed'
      ? [
          'Changed since you trusted it:',
          ...trust.changes.map(({ path, change }) => safeLine(`  ${path} (${change})`)),
          '',
        ]
      : [];
  const named = commands.map(({ runs, setting, file, line }) =>
    safeLine(`  ${runs}   (${setting} in ${file}:${line})`),
  );
  return yesNoQuestion({
    title: `Do you trust ${folder}?`,
    facts: [
      'If you trust it, its settings, tools, servers, skills, commands, hooks and .env take effect, and language servers and formatters installed in it are started. If not, they are ignored; you can still work here.',
    ],
    text: [
      ...changed,
      ...(named.length > 0 ? ['These would run:', ...named] : ['No commands are named in its settings.']),
      ...(files.length > 0
        ? ['', 'These files would take effect:', ...files.map((path) => safeLine(`  ${path}`))]
        : []),
      ...(contextFiles.length > 0
        ? ['', `The model would follow these as instructions: ${contextFiles.join(', ')}`]
        : []),
    ].join('\n'),
    yes: 'yes, until one of these files changes',
    no: "no, and don't ask again (toolwright trust changes this)",
  });
}
