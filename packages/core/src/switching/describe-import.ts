import { plural } from '@toolwright/machine/base/amounts.js';
import { agentNames, type HomeFindings } from './findings.js';

/** The plan in words: what comes over, what is read where it is, and what does not come, with the reason. */
export function describeImport(found: HomeFindings): string {
  const { settings, servers, rules, hooks, files, here, inPlace, left, variables, extensions } = found;
  const carried = [
    ...settings.map(({ path, value }) => `${path.join('.')} = ${JSON.stringify(value)}`),
    ...[...servers.keys()].map((name) => `the MCP server ${name}`),
    ...[...rules.deny].map((rule) => `deny ${rule}`),
    ...[...rules.ask].map((rule) => `ask ${rule}`),
    ...[...rules.allow].map((rule) => `allow ${rule}, off until you choose it`),
    ...hooks.map(({ event, command }) => `the hook of ${event}: ${command}`),
    ...foldersOf(files.map(({ path }) => path)),
  ];
  return [
    `From ${agentNames[found.agent]}`,
    ...section('To import:', carried),
    ...section('Here already:', here),
    ...section('Read in place, no import needed:', inPlace),
    ...section(
      'Variables for you to set, in the place of secrets:',
      [...variables].map(([name, where]) => `$${name} (${where})`),
    ),
    ...section(
      'Extensions, each off until you accept its page:',
      extensions.map(({ name, path }) => `${name} (${path})`),
    ),
    ...section(
      'Not imported:',
      left.map(({ what, why }) => `${what}: ${why}`),
    ),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)];
}

/** Files by the folder that they go to; single ones by name. */
function foldersOf(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const [top = '', second] = path.split('/');
    const key = second === undefined ? top : `${top}/${second}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([path, count]) => (count === 1 ? path : `${path} (${plural(count, 'file')})`));
}
