import {
  formatAbout,
  type McpCatalogue,
  mcpToolCost,
  messageOf,
  pinDifferences,
  plural,
  type ServedServer,
} from '@toolwright/core/front-end';
import { acceptServer } from '../../actions/accept-server.js';
import { type ReportItem, textItem } from '../../actions/report.js';
import type { Ask } from '../../app/question.js';
import { askYesOrNo, type YesNo } from '../../app/yes-no.js';
import { promptUsage } from './prompts.js';

interface ServersContext {
  catalogue: McpCatalogue | null;
  ask: Ask;
  signal: AbortSignal;
}

/** `/mcp`, `/mcp NAME`, `/mcp accept NAME`. */
export async function mcp(rest: string, context: ServersContext): Promise<ReportItem[]> {
  const { catalogue } = context;
  if (!catalogue)
    return [textItem('No MCP servers are configured. To add one: toolwright mcp add NAME -- COMMAND')];
  const [first = '', second = ''] = rest.split(/\s+/);
  if (first === '') return [textItem(catalogue.servers.map(stateLine).join('\n'))];
  const name = first === 'accept' ? second : first;
  const server = catalogue.find(name);
  if (!server)
    return [textItem(`There is no MCP server ${name || 'without a name'}. /mcp lists them.`, 'warning')];
  try {
    if (first !== 'accept') return [textItem(await offerOf(server, context.signal))];
    const { ask, signal } = context;
    const consent = (question: YesNo): Promise<boolean> => askYesOrNo(question, ask, signal);
    const { isAccepted, message } = await acceptServer(server, { consent, signal });
    return [textItem(message, isAccepted ? 'good' : 'plain')];
  } catch (error) {
    return [textItem(messageOf(error), 'bad')];
  }
}

function stateLine(server: ServedServer): string {
  const { tools, tokens } = mcpToolCost(server);
  const pending = server.record
    ? pinDifferences(server.record).filter(({ change }) => change !== 'gone')
    : [];
  const waiting =
    pending.length > 0 ? `; ${pending.length} not accepted: /mcp accept ${server.config.alias}` : '';
  const [problem] = (server.problem ?? '').split('\n');
  const what = problem ? problem : `${plural(tools, 'tool')}, about ${formatAbout(tokens)} tokens${waiting}`;
  return `  ${server.config.alias.padEnd(16)}  ${server.state.padEnd(11)}  ${what}`;
}

async function offerOf(server: ServedServer, signal: AbortSignal): Promise<string> {
  const { alias } = server.config;
  return server.use(async (connection) => {
    const { offers } = connection.info;
    const prompts = offers.prompts ? (await connection.listPrompts(signal)).items : [];
    const resources = offers.resources ? (await connection.listResources(signal)).items : [];
    const rows = [
      ...server.tools().map(({ name, description }) => row(name, description)),
      ...prompts.map((prompt) => row(promptUsage(alias, prompt), prompt.description)),
      ...resources.slice(0, 50).map(({ uri, name }) => row(`@${alias}:${uri}`, name)),
      ...(resources.length > 50 ? [`  … and ${resources.length - 50} more resources`] : []),
    ];
    return rows.length > 0 ? rows.join('\n') : `${alias} offers nothing.`;
  }, signal);
}

function row(left: string, description: string): string {
  const line = description.replace(/\s+/g, ' ').trim();
  return `  ${left.padEnd(28)}  ${line.length > 100 ? `${line.slice(0, 99)}…` : line}`;
}
