export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const pause = (ms = 80) => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool that a scenario calls by this name; it needs no consent. `run` gets the call as one object and gives its text. */
export function tool(name, run, more = {}) {
  return {
    name,
    displayName: name,
    description: `What the scenario of ${name} calls.`,
    parameterSchema: { type: 'object', properties: {} },
    validateToolParams: () => null,
    getDescription: () => `Use ${name}`,
    shouldConfirmExecute: async () => false,
    execute: async (params, signal, onUpdate, caller) => {
      const llmContent = await run({ params, signal, onUpdate, caller });
      return { llmContent, returnDisplay: name };
    },
    effects: () => [],
    ...more,
  };
}

export function form(message, properties, required = Object.keys(properties)) {
  const requestedSchema = { type: 'object', properties, required };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

export function sample(text, maxTokens = 100) {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens } };
}
