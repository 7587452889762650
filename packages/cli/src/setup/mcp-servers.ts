import { resolve } from 'node:path';
import { type ConfiguredServer, parseServer, type RuleText } from '@toolwright/core';
import { type LoadedSettings, parseServerCommand } from '@toolwright/core/front-end';
import type { Arguments } from '../command-line/args.js';
import { extensionServers, type UsedExtensions } from './extensions.js';

export interface ConfiguredIn {
  workspace: string;
  /** `--mcp-config` */
  mcpConfigFile?: string | undefined;
}

/** The servers of the settings, ready to be connected. Those of a project are consented to for that project. */
export function configuredServers(
  { settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>,
  { workspace, mcpConfigFile }: ConfiguredIn,
): ConfiguredServer[] {
  const asked = mcpConfigFile === undefined ? undefined : resolve(mcpConfigFile);
  const isOfProject = (path: string): boolean => origins[path]?.layer === 'project';
  const placeOf = (path: string): string => (isOfProject(path) ? workspace : '');
  const servers = Object.entries(settings.mcpServers).map(([alias, server]): ConfiguredServer => {
    const origin = origins[`mcpServers.${alias}`];
    return {
      config: parseServer(alias, server, origin?.source ?? 'settings', {
        ofProject: isOfProject(`mcpServers.${alias}`),
      }),
      place: placeOf(`mcpServers.${alias}`),
      isAskedFor: asked !== undefined && origin?.file === asked,
    };
  });
  const command = settings.mcp.mcpServerCommand;
  if (command === undefined || servers.some(({ config }) => config.alias === 'mcp')) return servers;
  const ofProject = isOfProject('mcp.mcpServerCommand');
  const config =
    typeof command === 'string'
      ? parseServerCommand(command, { ofProject })
      : parseServer('mcp', { command: command[0], args: command.slice(1) }, 'mcp.mcpServerCommand', {
          ofProject,
        });
  return [...servers, { config, place: placeOf('mcp.mcpServerCommand') }];
}

/** The part of a setup that names servers. */
export interface ServerSetup extends UsedExtensions {
  workspace: string;
  loaded: LoadedSettings;
}

export function hasServers({ loaded: { settings }, extensions }: ServerSetup): boolean {
  const { mcpServers, mcp } = settings;
  return (
    Object.keys(mcpServers).length > 0 ||
    mcp.mcpServerCommand !== undefined ||
    extensions.some(({ isOn, extension }) => isOn && Object.keys(extension.servers).length > 0)
  );
}

/** Gives the servers of the settings, then those of extensions. */
export function serversOf(setup: ServerSetup, args: Arguments): ConfiguredServer[] {
  const own = ownServers(setup, args);
  return [...own, ...extensionServers(setup, aliasesOf(own)).servers];
}

function ownServers({ workspace, loaded }: ServerSetup, args: Arguments): ConfiguredServer[] {
  return configuredServers(loaded, { workspace, mcpConfigFile: args.values.get('mcp-config') });
}

export function serverProblems(setup: ServerSetup, args: Arguments): string[] {
  if (setup.extensions.length === 0) return [];
  return extensionServers(setup, aliasesOf(ownServers(setup, args))).problems;
}

const aliasesOf = (servers: readonly ConfiguredServer[]): string[] =>
  servers.map(({ config }) => config.alias);

/** `"trust": true` of a server, as the rule that it is. */
export function rulesOfTrustedServers({ settings, origins }: LoadedSettings): RuleText[] {
  return Object.entries(settings.mcpServers)
    .filter(([, { trust }]) => trust === true)
    .map(([alias]) => ({
      verdict: 'allow',
      text: `Mcp(${alias})`,
      source: `"trust" in ${origins[`mcpServers.${alias}`]?.source ?? 'the settings'}`,
    }));
}
