/** Tools that some families of models get in another way than the rest. */
type FamilyTools = 'apply_patch' | 'todo and ask_user';

interface ModelFamily {
  models: RegExp;
  gets: FamilyTools;
  /** The reason, as docs/models.md gives it. */
  why: string;
}

/** The whole table: every other model gets `edit`, and `todo` and `ask_user` with the first prompt that needs them. */
export const families: readonly ModelFamily[] = [
  {
    models: /^(?:gpt-(?:4\.1|[5-9])|o[34](?:-|$)|codex)/,
    gets: 'apply_patch',
    why: 'OpenAI trained them on this form, and two tools for one purpose are confused with each other',
  },
  {
    models: /^(?:claude|gpt-[5-9]|gemini-[3-9]|qwen3|qwen-max|kimi|glm-[4-9])/,
    gets: 'todo and ask_user',
    why: 'they keep lists and ask with choices without being told to',
  },
];

function gets(tools: FamilyTools, model: string | undefined): boolean {
  // Routers put the name of the maker before that of the model.
  const name = model?.toLowerCase().split('/').at(-1) ?? '';
  return families.some((family) => family.gets === tools && family.models.test(name));
}

/** True for a model that gets `apply_patch` in place of `edit`. */
export function takesPatches(model: string | undefined): boolean {
  return gets('apply_patch', model);
}

/** True for a model that gets `todo` and `ask_user` with its first request. */
export function usesTaskTools(model: string | undefined): boolean {
  return gets('todo and ask_user', model);
}
