import { form, png } from './test-tool.mjs';

const resource = (uri, mimeType) => ({ uri, name: uri, description: `The resource ${uri}.`, mimeType });
const template = /^test:\/\/template\/([^/]+)\/data$/;

export const resources = {
  templates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data by id.',
      mimeType: 'application/json',
    },
  ],
  list: async () => [
    resource('test://static-text', 'text/plain'),
    resource('test://static-binary', 'image/png'),
    resource('test://watched-resource', 'text/plain'),
  ],
  async read(uri) {
    const id = template.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return [{ uri, mimeType: 'application/json', text }];
    }
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: png }];
    const known = ['test://static-text', 'test://watched-resource'].includes(uri);
    return known
      ? [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }]
      : null;
  },
};

const user = (content) => ({ role: 'user', content });
const text = (words) => user({ type: 'text', text: words });
const argument = (name) => ({ name, description: `The argument ${name}.`, required: true });
const prompt = (name, ...args) => ({
  name,
  description: `The prompt ${name}.`,
  arguments: args.map(argument),
});

const words = ['paris', 'park', 'party'];

const messagesOf = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri: uri }) => [
    user({
      type: 'resource',
      resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    }),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [
    user({ type: 'image', data: png, mimeType: 'image/png' }),
    text('Please analyze the image above.'),
  ],
  test_input_required_result_prompt: async (_args, { caller, signal }) => {
    const asked = {
      user_context: form('What context should the prompt use?', { context: { type: 'string' } }),
    };
    const { user_context: answer } = await caller.ask(asked, signal);
    return [text(`Use the context ${answer.content?.context}.`)];
  },
};

const listeners = new Set();

export const prompts = {
  list: () => [
    prompt('test_simple_prompt'),
    prompt('test_prompt_with_arguments', 'arg1', 'arg2'),
    prompt('test_prompt_with_embedded_resource', 'resourceUri'),
    prompt('test_prompt_with_image'),
    prompt('test_input_required_result_prompt'),
  ],
  async get(name, request) {
    const messages = messagesOf[name];
    return messages ? { messages: await messages(request.arguments, request) } : null;
  },
  complete: async (_name, _argument, value) => words.filter((word) => word.startsWith(value)),
  onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function promptsChanged() {
  for (const listener of listeners) listener();
}
