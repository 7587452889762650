import { compileTool, type Dialect, mcpToolName } from '@toolwright/core';
import { formatAbout, formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { mcpToolCost } from '@toolwright/mcp/catalogue/tool-cost.js';
import type { McpToolDefinition } from '@toolwright/mcp/contract/connection.js';
import { type DoctorFinding, named } from './examination.js';

const providers: readonly Dialect[] = ['openai', 'anthropic', 'gemini'];

/** Above this the tools of one server are not all declared to the model at once. */
const BUDGET_BYTES = 24 * 1024;

/** Findings about the definitions of tools, without calling one. */
export function definitionFindings(alias: string, tools: readonly McpToolDefinition[]): DoctorFinding[] {
  return [...namesOf(alias, tools), ...schemasOf(tools), ...costOf(tools)];
}

function namesOf(alias: string, tools: readonly McpToolDefinition[]): DoctorFinding[] {
  const altered = tools.filter(({ name }) => mcpToolName(alias, name) !== `${alias}__${name}`);
  if (altered.length === 0)
    return [{ stage: 'names', level: 'ok', what: `${plural(tools.length, 'name')}, fit for every provider` }];
  const shown = altered.map(({ name }) => `${JSON.stringify(name)} becomes ${mcpToolName(alias, name)}`);
  return [
    {
      stage: 'names',
      level: 'warning',
      what: `${plural(altered.length, 'name')} had to be altered: ${named(shown)}`,
      advice: `With "${alias}__" before it a name may have 64 characters of A-Z, a-z, 0-9, _ and -.`,
    },
  ];
}

function schemasOf(tools: readonly McpToolDefinition[]): DoctorFinding[] {
  return providers.flatMap((provider): DoctorFinding[] => {
    const { unusable, losses } = compileAll(tools, provider);
    if (unusable.size + losses.size === 0)
      return [{ stage: 'schemas', level: 'ok', what: `${provider}: every schema is sent without a loss` }];
    return [
      ...[...unusable].map(
        ([reason, names]): DoctorFinding => ({
          stage: 'schemas',
          level: 'problem',
          what: `${provider}: not offered at all, because ${reason}: ${named(names)}`,
          advice: 'Describe the arguments by an object with plain types.',
        }),
      ),
      ...[...losses].map(
        ([what, places]): DoctorFinding => ({
          stage: 'schemas',
          level: 'note',
          what: `${provider}: ${what}: ${named(places)}`,
        }),
      ),
    ];
  });
}

/** Groups tools by what is wrong, because many tools of a server are wrong in the same way. */
function compileAll(
  tools: readonly McpToolDefinition[],
  provider: Dialect,
): { unusable: Map<string, string[]>; losses: Map<string, string[]> } {
  const [unusable, losses] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const note = (list: Map<string, string[]>, key: string, value: string): void => {
    list.set(key, [...(list.get(key) ?? []), value]);
  };
  for (const { name, description, inputSchema } of tools) {
    const compiled = compileTool({ name, description, parametersJsonSchema: inputSchema }, provider);
    if ('setAside' in compiled) note(unusable, compiled.setAside.reason, name);
    else for (const { path, what } of compiled.tool.losses) note(losses, what, `${name}.${path}`);
  }
  return { unusable, losses };
}

function costOf(tools: readonly McpToolDefinition[]): DoctorFinding[] {
  const { bytes, tokens } = mcpToolCost({ tools: () => [...tools] });
  const bill = `${plural(tools.length, 'tool')}: ${formatBytes(bytes)} of every request, about ${formatAbout(tokens)} tokens`;
  const undescribed = tools.filter(({ description }) => description === '').map(({ name }) => name);
  const unmarked = tools.filter(({ asSent }) => asSent['annotations'] === undefined).map(({ name }) => name);
  return [
    bytes > BUDGET_BYTES
      ? {
          stage: 'cost',
          level: 'warning',
          what: bill,
          advice: `Above ${formatBytes(BUDGET_BYTES)} a model gets them by search only. Offer fewer tools, or shorter descriptions.`,
        }
      : { stage: 'cost', level: 'ok', what: bill },
    ...(undescribed.length > 0
      ? [
          {
            stage: 'cost' as const,
            level: 'warning' as const,
            what: `no description: ${named(undescribed)}`,
            advice: 'A model chooses tools by their descriptions.',
          },
        ]
      : []),
    ...(unmarked.length > 0
      ? [
          {
            stage: 'cost' as const,
            level: 'note' as const,
            what: `no annotations: ${named(unmarked)}; clients take them for tools that may destroy something`,
            advice:
              'Say readOnlyHint, destructiveHint, idempotentHint and openWorldHint where they are true.',
          },
        ]
      : []),
  ];
}
