import { describePieceProblem, type FoundAgents } from '@toolwright/core/front-end';

/** The subagents there are, and what is wrong with the others. */
export function describeAgents({ agents, problems }: FoundAgents): string {
  const width = Math.min(30, Math.max(...agents.map(({ name }) => name.length)));
  const lines = agents.flatMap(({ name, description, from, tools, withoutEffect = [] }) => {
    const only = tools && (tools.length > 0 ? `; ${tools.join(', ')}` : '; no tools');
    const line = `  ${name.padEnd(width)}  ${description.slice(0, 100)} (${from}${only ?? ''})`;
    if (withoutEffect.length === 0) return [line];
    return [
      line,
      `  ${''.padEnd(width)}  Without effect here: ${withoutEffect.join(', ')} in its front matter.`,
    ];
  });
  return [
    'Subagents. Name one as @agent-NAME in a prompt, or mention subagents, and the model may use them.',
    ...lines,
    ...problems.map((problem) => `  Off: ${describePieceProblem(problem)}`),
  ].join('\n');
}
