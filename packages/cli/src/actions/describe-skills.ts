import { describePieceProblem, plural, type Skills } from '@toolwright/core/front-end';

const LONGEST_LINE = 160;

/** The skills in effect, those that only the user can call, and what is wrong with the others. */
export async function describeSkills(skills: Skills | null, signal: AbortSignal): Promise<string> {
  if (!skills)
    return 'There are no skills here. toolwright skills new NAME writes one; docs/skills.md says where they go.';
  const { skills: usable, problems } = await skills.readAll(signal);
  const width = Math.min(30, Math.max(0, ...usable.map(({ name }) => name.length)));
  const lines = usable.map(({ name, description, from, isForUserOnly }) => {
    const text = `${name.padEnd(width)}  ${description}`;
    const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text;
    return `  ${cut} (${from.shown}${isForUserOnly ? '; only for you' : ''})`;
  });
  const off = problems.map((problem) => `  ${describePieceProblem(problem)}`);
  return [
    lines.length > 0
      ? `${plural(lines.length, 'skill')}. The model loads one when it fits the task.`
      : 'No skill can be used.',
    ...lines,
    ...(off.length > 0 ? ['Off:', ...off] : []),
  ].join('\n');
}
