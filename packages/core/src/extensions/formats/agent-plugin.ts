import type { PieceProblem } from '../../pieces/piece.js';
import type { ReadExtension } from '../extension.js';
import type { ManifestReader } from '../manifest-reader.js';
import { serversNamed } from './servers.js';

const known = [
  '$schema',
  'name',
  'version',
  'description',
  'author',
  'homepage',
  'repository',
  'license',
  'keywords',
  'extensions',
];

/** The common standard: skills and servers. Folders for commands, agents, hooks and tools beside them are ours. */
export async function readAgentPlugin(reader: ManifestReader): Promise<ReadExtension | PieceProblem> {
  for (const name of Object.keys(reader.value))
    if (!known.includes(name)) reader.unused.push({ what: name, why: 'the standard has no such member' });
  const schema = reader.value['$schema'];
  if (typeof schema === 'string' && !/agent-plugins\.org\/schemas\/1\./.test(schema))
    reader.problem(
      `$schema is ${JSON.stringify(schema.slice(0, 120))}; this is read as version 1.0`,
      '$schema',
    );
  return reader.result('agent-plugin', {
    skills: usual(reader, 'skills'),
    commands: usual(reader, 'commands'),
    agents: usual(reader, 'agents'),
    tools: usual(reader, 'tools'),
    hooks: reader.has('hooks/hooks.json') ? [{ path: 'hooks/hooks.json', format: 'claude' }] : [],
    servers: await serversNamed(reader, { usual: ['mcp.json'], member: '' }),
  });
}

function usual(reader: ManifestReader, name: string): { path: string }[] {
  return reader.isFolder(name) ? [{ path: name }] : [];
}
