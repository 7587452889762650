import type { PieceProblem } from '../../pieces/piece.js';
import type { ReadExtension } from '../extension.js';
import type { ManifestReader } from '../manifest-reader.js';
import { serversNamed } from './servers.js';

export async function readClaudePlugin(reader: ManifestReader): Promise<ReadExtension | PieceProblem> {
  reader.leave({
    lspServers: 'language servers of extensions are not started',
    '.lsp.json/': 'language servers of extensions are not started',
    outputStyles: 'there are no output styles here',
    'output-styles/': 'there are no output styles here',
    themes: 'themes are chosen by ui.theme',
    monitors: 'nothing is started in the background for an extension',
    channels: 'there are no channels here',
    'bin/': 'no program is added to the PATH',
    'settings.json/': 'an extension changes no settings',
  });
  return reader.result('claude', {
    skills: reader.folders('skills'),
    commands: reader.folders('commands'),
    agents: reader.folders('agents'),
    hooks: reader.hooks('claude'),
    servers: await serversNamed(reader, { usual: ['.mcp.json'] }),
  });
}
