/**
 * Models that OpenAI trains on the form of apply_patch: they make fewer mistakes in it than in replacements of text. All
 * others get edit.
 */
const trainedOnPatches = /^(?:gpt-(?:4\.1|[5-9])|o[34](?:-|$)|codex)/;

/** True for a model that gets apply_patch in place of edit. */
export function takesPatches(model: string | undefined): boolean {
  // Routers put the name of the maker before that of the model.
  return trainedOnPatches.test(model?.toLowerCase().split('/').at(-1) ?? '');
}
