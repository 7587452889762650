import { describePieceProblem, type FoundAgents } from '@toolwright/core/front-end';

/** The subagents there are, and what is wrong with the others. */
export function describeAgents({ agents, problems }: FoundAgents): string {
  const width = Math.min(30, Math.max(...agents.map(({ name }) => name.length)));
  const lines = agents.map(
    ({ name, description, from, tools }) =>
      `  ${name.padEnd(width)}  ${description.slice(0, 100)} (${from}${tools ? `; ${tools.join(', ')}` : ''})`,
  );
  return [
    'Subagents. Name one as @agent-NAME in a prompt, or mention subagents, and the model may use them.',
    ...lines,
    ...problems.map((problem) => `  Off: ${describePieceProblem(problem)}`),
  ].join('\n');
}
