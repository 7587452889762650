import { contextFilesThere, type TrustState, terminalSafeLine } from '@toolwright/core/front-end';

interface Trusting {
  trusted: boolean;
  trust: TrustState;
}

/** Names the context files as the settings call them: the folder was examined before the settings were read. */
export async function nameContextFiles({ examination }: TrustState, names: readonly string[]): Promise<void> {
  if (names.length === 1 && names[0] === 'AGENTS.md') return;
  const there = await contextFilesThere(examination.folder, names);
  examination.contextFiles = there.length > 0 ? there : undefined;
}

const kinds: readonly [kind: string, of: RegExp][] = [
  ['.toolwright/settings.json', /^\.toolwright\/settings\.json$/],
  ['.mcp.json', /^\.mcp\.json$/],
  ['.env', /^\.env$/],
  ['tools', /^\.toolwright\/tools(?:\/|$)/],
  ['hooks', /^\.[a-z]+\/hooks(?:\/|$)|^\.(?:claude|qwen|gemini)\/settings(?:\.local)?\.json$/],
  ['skills', /^\.[a-z]+\/skills(?:\/|$)/],
  ['commands', /^\.[a-z]+\/commands(?:\/|$)/],
  ['subagents', /^\.[a-z]+\/agents(?:\/|$)/],
  ['extensions', /^\.toolwright\/extensions(?:\/|$)/],
];

/**
 * Tells whoever can't be asked what of a folder does not count because nobody has answered about it; in a conversation the question
 * is asked instead. `model`: there is one, which reads context files and whose key may be in `.env`.
 */
export function neverAsked({ trusted, trust }: Trusting, { model }: { model: boolean }): string[] {
  if (trusted || trust.state !== 'unknown') return [];
  const { fingerprint, contextFiles = [] } = trust.examination;
  const paths = Object.keys(fingerprint);
  const there = kinds.flatMap(([kind, of]) =>
    (model || kind !== '.env') && paths.some((path) => of.test(path)) ? kind : [],
  );
  const verb = there.length === 1 && there[0]?.startsWith('.') ? 'is' : 'are';
  const sentences = [
    ...(there.length > 0 ? [`${inWords(there)} of this folder ${verb} not used`] : []),
    ...(model && contextFiles.length > 0
      ? [`the model reads ${terminalSafeLine(inWords(contextFiles))} as data, not as instructions`]
      : []),
  ];
  if (sentences.length === 0) return [];
  const said = sentences.join(', and ');
  return [
    `${said[0]!.toUpperCase()}${said.slice(1)}, because you have not trusted the folder. toolwright trust shows what that means; --trust trusts it for this run.`,
  ];
}

function inWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
}

/** Warns about a folder that was trusted once and is different now. */
export function trustWarnings(trust: TrustState): string[] {
  if (trust.state !== 'changed') return [];
  const what = trust.changes.map(({ path, change }) => terminalSafeLine(`${path} ${change}`)).join(', ');
  return [
    `This folder's settings are not used: it changed since you trusted it (${what}). Look at it, then: toolwright trust`,
  ];
}
