import {
  formatAbout,
  type McpCatalogue,
  mcpBill,
  messageOf,
  pinDifferences,
  pinDifferencesAsDiff,
  type ServedServer,
} from '@toolwright/core';
import { safe, safeDiff } from '../../app/safe-text.js';
import type { NewBlock, Tone } from '../../app/state.js';
import type { Front } from '../../ui/front.js';
import { askAboutCode } from './other-code.js';
import { promptUsage } from './prompts.js';

interface Context {
  catalogue: McpCatalogue | null;
  ask: Front['ask'];
  signal: AbortSignal;
}

/** `/mcp`, `/mcp NAME`, `/mcp accept NAME`. */
export async function mcp(rest: string, context: Context): Promise<NewBlock[]> {
  const { catalogue } = context;
  if (!catalogue)
    return said('No MCP servers are configured. To add one: toolwright mcp add NAME -- COMMAND');
  const [first = '', second = ''] = rest.split(/\s+/);
  if (first === '') return said(catalogue.servers.map(stateLine).join('\n'));
  const name = first === 'accept' ? second : first;
  const server = catalogue.find(name);
  if (!server) return said(`There is no MCP server ${name || 'without a name'}. /mcp lists them.`, 'warning');
  try {
    return first === 'accept' ? await accept(server, context) : said(await offerOf(server, context.signal));
  } catch (error) {
    return said(messageOf(error), 'bad');
  }
}

function stateLine(server: ServedServer): string {
  const { tools, tokens } = mcpBill(server);
  const pending = server.record
    ? pinDifferences(server.record).filter(({ change }) => change !== 'gone')
    : [];
  const waiting =
    pending.length > 0 ? `; ${pending.length} not accepted: /mcp accept ${server.config.alias}` : '';
  const [problem] = (server.problem ?? '').split('\n');
  const what = problem
    ? problem
    : `${tools === 1 ? '1 tool' : `${tools} tools`}, about ${formatAbout(tokens)} tokens${waiting}`;
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

async function accept(server: ServedServer, { ask, signal }: Context): Promise<NewBlock[]> {
  const other = await server.otherCode(signal);
  if (other) {
    if (!(await askAboutCode(other, ask, signal))) return said('Not accepted.');
    await server.acceptCode(other);
  }
  const shown = await server.refresh(signal);
  if (pinDifferences(shown).length === 0)
    return said(
      other
        ? 'Accepted, and its tools are as you accepted them.'
        : 'Nothing to accept: what it runs and its tools are as you accepted them.',
    );
  const reply = await ask(
    {
      title: safe(`Accept these definitions of ${server.config.alias}?`),
      diff: safeDiff(await pinDifferencesAsDiff(shown)),
      facts: [safe('They are text that the model will read, and what it will call.')],
      choices: [
        { key: 'y', label: safe('yes, turn them on') },
        { key: 'n', label: safe('no, they stay off') },
      ],
      refusal: 'n',
    },
    signal,
  );
  if (reply?.key !== 'y') return said('Not accepted.');
  const { accepted } = await server.accept(shown);
  return said(`Accepted: ${server.config.alias} has ${accepted.length} tools.`, 'good');
}

function said(text: string, tone: Tone = 'plain'): NewBlock[] {
  return [{ kind: 'said', text: safe(text), tone }];
}
