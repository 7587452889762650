import {
  type DefinitionFinding,
  type Dialect,
  judgeDefinition,
  judgedMcpTool,
} from '@toolwright/core/front-end';
import { formatAbout, formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { mcpToolCost } from '@toolwright/mcp/catalogue/tool-cost.js';
import type { McpToolDefinition } from '@toolwright/mcp/contract/connection.js';
import { type DoctorFinding, type DoctorLevel, type DoctorStage, named } from './examination.js';

const providers: readonly Dialect[] = ['openai', 'anthropic', 'gemini'];

/** Above this the tools of one server are not all declared to the model at once. */
const BUDGET_BYTES = 24 * 1024;

const levels: Record<DefinitionFinding['level'], DoctorLevel> = {
  error: 'problem',
  warning: 'warning',
  note: 'note',
};

interface JudgedTool {
  tool: string;
  finding: DefinitionFinding;
}

/** Findings about the definitions of tools, without calling one: those that `tools check` has for each of them. */
export function definitionFindings(alias: string, tools: readonly McpToolDefinition[]): DoctorFinding[] {
  const judged = tools.flatMap((tool) =>
    judgeDefinition(judgedMcpTool(alias, tool)).map((finding) => ({ tool: tool.name, finding })),
  );
  const about = (checks: DefinitionFinding['check'][]): JudgedTool[] =>
    judged.filter(({ finding }) => checks.includes(finding.check));
  return [
    ...namesOf(alias, tools, about(['name'])),
    ...grouped('schemas', about(['schema', 'schema-size', 'schema-description'])),
    ...providersOf(about(['schema-subset'])),
    costOf(tools),
    ...grouped('cost', about(['description', 'annotations'])),
  ];
}

function namesOf(
  alias: string,
  tools: readonly McpToolDefinition[],
  altered: readonly JudgedTool[],
): DoctorFinding[] {
  if (altered.length === 0)
    return [{ stage: 'names', level: 'ok', what: `${plural(tools.length, 'name')}, fit for every provider` }];
  return [
    {
      stage: 'names',
      level: 'warning',
      what: `${plural(altered.length, 'name')} had to be altered: ${named(altered.map(({ finding }) => finding.what))}`,
      advice: `With "${alias}__" before it a name may have 64 characters of A-Z, a-z, 0-9, _ and -.`,
    },
  ];
}

function providersOf(judged: readonly JudgedTool[]): DoctorFinding[] {
  const ofAll = judged.filter(({ finding }) => finding.providers === undefined);
  const ofEach = providers.flatMap((provider): DoctorFinding[] => {
    const own = judged.filter(({ finding }) => finding.providers?.includes(provider));
    if (own.length === 0)
      return [{ stage: 'schemas', level: 'ok', what: `${provider}: every schema is sent without a loss` }];
    return grouped('schemas', own, `${provider}: `);
  });
  return [...grouped('schemas', ofAll), ...ofEach];
}

/** Says once what is wrong with many tools in the same way. */
function grouped(stage: DoctorStage, judged: readonly JudgedTool[], before = ''): DoctorFinding[] {
  const groups = new Map<string, { finding: DefinitionFinding; places: string[] }>();
  for (const { tool, finding } of judged) {
    const group = groups.get(finding.what) ?? { finding, places: [] };
    group.places.push(finding.place === undefined ? tool : `${tool}.${finding.place}`);
    groups.set(finding.what, group);
  }
  return [...groups.values()].map(({ finding: { level, what, advice }, places }) => ({
    stage,
    level: levels[level],
    what: `${before}${what}: ${named(places)}`,
    advice,
  }));
}

function costOf(tools: readonly McpToolDefinition[]): DoctorFinding {
  const { bytes, tokens } = mcpToolCost({ tools: () => [...tools] });
  const what = `${plural(tools.length, 'tool')}: ${formatBytes(bytes)} of every request, about ${formatAbout(tokens)} tokens`;
  if (bytes <= BUDGET_BYTES) return { stage: 'cost', level: 'ok', what };
  return {
    stage: 'cost',
    level: 'warning',
    what,
    advice: `Above ${formatBytes(BUDGET_BYTES)} a model gets them by search only. Offer fewer tools, or shorter descriptions.`,
  };
}
