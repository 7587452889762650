import type { JsonObject } from '@toolwright/machine/base/json.js';

/** Members of a server that the files of others may set. `trust` and others that would grant something are not among them. */
export const foreignServerMembers: readonly string[] = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'httpUrl',
  'type',
  'headers',
  'timeout',
  'includeTools',
  'excludeTools',
  'oauth',
  'network',
];

/** Words about a server for people: they do nothing, so their absence is not told. */
const words = ['name', 'title', 'description', 'icon', 'icons', 'tags', 'disabled', 'enabled', '$schema'];

const asked = 'its tools are asked about until you say otherwise';
const reasons: Readonly<Record<string, string>> = {
  trust: asked,
  autoApprove: asked,
  autoApproveTools: asked,
  alwaysAllow: asked,
  headersHelper: 'no program makes headers here',
  startup_timeout_sec: 'how long a server may take to start is no setting here',
  startup_timeout_ms: 'how long a server may take to start is no setting here',
  sandbox: 'what others write takes no server out of the sandbox',
  oauth: 'sign in anew when the server asks for it',
};

/** Members of a server that are not taken, each with the reason. */
export function unusedMembers(
  server: JsonObject,
  members: readonly string[],
): { member: string; why: string }[] {
  return Object.entries(server)
    .filter(([key, value]) => !members.includes(key) && !words.includes(key) && !isOff(value))
    .map(([key]) => ({
      member: key,
      why: (Object.hasOwn(reasons, key) && reasons[key]) || 'there is no such setting of a server here',
    }));
}

const isOff = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);

/** True for a server that whoever wrote it has switched off. */
export function isTurnedOff(server: JsonObject): boolean {
  return server['disabled'] === true || server['enabled'] === false;
}
