import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { type ManifestReader, readJsonFile } from '../manifest-reader.js';
import { foreignServerMembers, isTurnedOff, unusedMembers } from './server-members.js';

/** Servers of a member: an object of them, or paths of files with one. */
export async function serversNamed(
  reader: ManifestReader,
  { usual, member = 'mcpServers' }: { usual: readonly string[]; member?: string },
): Promise<Record<string, JsonObject>> {
  const servers: Record<string, JsonObject> = {};
  for (const path of usual) if (reader.has(path)) await addFile(path, { reader, servers });
  const named = reader.value[member];
  if (isJsonObject(named)) add(named, { reader, servers, file: reader.manifest });
  else
    for (const written of reader.texts(member)) {
      const path = reader.inside(written, member);
      if (path === null || usual.includes(path)) continue;
      if (reader.has(path)) await addFile(path, { reader, servers });
      else reader.problem(`there is no ${path} in the extension`, member);
    }
  return servers;
}

interface Adding {
  reader: ManifestReader;
  servers: Record<string, JsonObject>;
}

/** Reads a file of servers, with or without `mcpServers` around them. */
async function addFile(path: string, { reader, servers }: Adding): Promise<void> {
  const json = await readJsonFile(reader.root, path);
  if ('problem' in json) {
    reader.problems.push(json);
    return;
  }
  const { mcpServers = json.value } = json.value;
  if (isJsonObject(mcpServers)) add(mcpServers, { reader, servers, file: path });
  else
    reader.problems.push({
      file: `${reader.root}/${path}`,
      line: json.lineOf('mcpServers'),
      problem: 'mcpServers must be an object of servers',
    });
}

function add(named: JsonObject, { reader, servers, file }: Adding & { file: string }): void {
  for (const [name, server] of Object.entries(named)) {
    if (name.startsWith('$')) continue;
    const problem = !isJsonObject(server)
      ? 'it must be an object'
      : !['command', 'url', 'httpUrl'].some((key) => typeof server[key] === 'string')
        ? 'it has neither a command nor an address'
        : Object.hasOwn(servers, name)
          ? 'the name appears twice'
          : null;
    if (problem) {
      reader.problems.push({
        file: `${reader.root}/${file}`,
        problem: `the server ${name} is off: ${problem}`,
      });
      continue;
    }
    const written = server as JsonObject;
    if (isTurnedOff(written)) {
      reader.unused.push({ what: `the MCP server ${name}`, why: 'its author turned it off' });
      continue;
    }
    for (const { member, why } of unusedMembers(written, foreignServerMembers))
      reader.unused.push({ what: `${member} of the MCP server ${name}`, why });
    const kept = Object.entries(written).filter(([key]) => foreignServerMembers.includes(key));
    servers[name] = Object.fromEntries(kept);
  }
}
