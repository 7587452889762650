import { keyVariablesOf, type ProviderName } from '../model/accounts.js';
import type { HomeFindings } from './findings.js';

/** The model of another agent, which may have signed in to it in a way of its own: without a key it would let no conversation begin. */
export function carryModel(
  { provider, name }: { provider: ProviderName; name: string },
  { found, environment }: { found: HomeFindings; environment: Readonly<Record<string, string | undefined>> },
): void {
  const variables = keyVariablesOf(provider);
  if (variables.some((variable) => environment[variable])) {
    found.set('model.provider', provider);
    found.set('model.name', name);
  } else
    found.leave(
      `model ${name}`,
      `no key for it is set ($${variables[0]}); /connect takes one and chooses the model`,
    );
}
