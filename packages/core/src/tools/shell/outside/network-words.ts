import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';

const loopback = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/;

/**
 * The sentence about a command that reaches for the network and ran without it: always where it names a host, for
 * `curl -s` and `|| true` hide the failure, else when it failed. Null when there is nothing to say.
 */
export function withoutNetworkSentence(
  { network }: Pick<ShellAnalysis, 'network'>,
  hasFailed: boolean,
): string | null {
  const named = network.map((each) => /^(.*?)(?: \(([^()]+)\))?$/.exec(each) ?? []);
  const hosts = [
    ...new Set(named.flatMap(([, , host]) => (host === undefined || loopback.test(host) ? [] : [host]))),
  ];
  if (network.length === 0 || (hosts.length === 0 && !hasFailed)) return null;
  const programs = [...new Set(named.map(([, program = '']) => program))].join(', ');
  const how = hosts.length === 0 ? '' : `outside: ${JSON.stringify({ hosts })}, or for any host with `;
  return `this command ran without network, so ${programs} reached nothing outside of it. If it must, call again with ${how}network: true; the user is asked`;
}
