import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import {
  secretsInAddress,
  secretsInEnvironment,
  secretsInHeaders,
  secretsInWords,
} from '@toolwright/machine/base/secrets/known-secrets.js';
import { foreignServerMembers, isTurnedOff, unusedMembers } from '../extensions/formats/server-members.js';
import type { HomeFindings } from './findings.js';

/** Members of sign-in that mean the same here; a token never comes over. */
const signIn = [
  'enabled',
  'clientId',
  'clientSecret',
  'scopes',
  'authorizationUrl',
  'tokenUrl',
  'redirectUri',
];

/** A server of another agent for our settings; what looks like a secret becomes a variable. */
export function carryServer(name: string, written: unknown, found: HomeFindings): void {
  const problem = problemOf(name, written);
  if (problem !== null || !isJsonObject(written)) {
    found.leave(`the MCP server ${name}`, problem ?? '');
    return;
  }
  const server = Object.fromEntries(
    Object.entries(written).filter(([key, value]) => foreignServerMembers.includes(key) && value !== null),
  ) as JsonObject;
  for (const { member, why } of unusedMembers(written, foreignServerMembers))
    found.leave(`${member} of the server ${name}`, why);
  carrySignIn(name, server, found);
  if (server['type'] === 'stdio' || server['type'] === 'streamable-http') delete server['type'];
  if (server['type'] === 'http' && typeof server['url'] === 'string') {
    server['httpUrl'] = server['url'];
    delete server['url'];
    delete server['type'];
  }
  found.servers.set(name, withVariables(server, name, found));
}

function carrySignIn(name: string, server: JsonObject, found: HomeFindings): void {
  const { oauth } = server;
  delete server['oauth'];
  if (!isJsonObject(oauth)) return;
  const isCarried = ([key, value]: [string, unknown]): boolean =>
    signIn.includes(key) && (key === 'enabled' ? typeof value === 'boolean' : isTextOrTexts(value));
  const all = Object.entries(oauth);
  const kept = Object.fromEntries(all.filter(isCarried));
  if (Object.keys(kept).length > 0) server['oauth'] = kept;
  for (const [key] of all.filter((entry) => !isCarried(entry)))
    found.leave(`oauth.${key} of the server ${name}`, 'sign in anew when the server asks for it');
}

const isTextOrTexts = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

function problemOf(name: string, written: unknown): string | null {
  if (!isJsonObject(written)) return 'it is not an object';
  if (isTurnedOff(written)) return 'it is turned off';
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) return 'its name has characters that are not allowed here';
  const { command, httpUrl, url } = written;
  return [command, httpUrl, url].some((value) => typeof value === 'string')
    ? null
    : 'it has neither a command nor an address';
}

/** The server with `$NAME`, which the user sets, in the place of each secret: none gets into our settings. */
function withVariables(server: JsonObject, name: string, found: HomeFindings): JsonObject {
  const { env, headers, args, url, httpUrl, oauth } = server;
  const variable = (wanted: string): string => {
    const clean = wanted
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '');
    found.variables.set(clean, `the server ${name}`);
    return `$${clean}`;
  };
  const hide = (text: string, secrets: readonly string[], wanted: string): string => {
    const clear = secrets.filter(
      (secret) => !secrets.some((other) => isOfVariables(other) && secret.endsWith(other)),
    );
    // The shortest is the secret without a scheme such as Bearer before it.
    const [shortest] = clear.sort((a, b) => a.length - b.length);
    return shortest === undefined ? text : text.replace(shortest, () => variable(wanted));
  };
  const hideIn = (address: unknown): unknown =>
    typeof address === 'string' ? hide(address, secretsInAddress(address), `${name}_secret`) : address;
  return {
    ...server,
    env: isJsonObject(env)
      ? mapValues(env, (key, value) => hide(value, secretsInEnvironment({ [key]: value }), key))
      : env,
    headers: isJsonObject(headers)
      ? mapValues(headers, (key, value) => hide(value, secretsInHeaders({ [key]: value }), `${name}_${key}`))
      : headers,
    args: Array.isArray(args)
      ? args.map((word, index) => {
          const words = [String(args[index - 1] ?? ''), String(word)];
          const secrets = secretsInWords(words).filter((secret) => String(word).includes(secret));
          return hide(String(word), secrets, `${name}_secret`);
        })
      : args,
    url: hideIn(url),
    httpUrl: hideIn(httpUrl),
    oauth: isJsonObject(oauth)
      ? {
          ...oauth,
          clientSecret:
            typeof oauth['clientSecret'] === 'string'
              ? hide(oauth['clientSecret'], [oauth['clientSecret']], `${name}_client_secret`)
              : undefined,
        }
      : oauth,
  };
}

/** True for `$NAME`, `Bearer $NAME` and `${ONE}:${OTHER}`; `word$x` may be a secret as it stands. */
function isOfVariables(secret: string): boolean {
  const bare = secret.replace(/^(?:basic|bearer|token)[ \t]+/i, '');
  const rest = bare.replace(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, '');
  return rest !== bare && !/[\p{L}\p{N}]/u.test(rest);
}

function mapValues(object: JsonObject, change: (key: string, value: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, String(value))]));
}
