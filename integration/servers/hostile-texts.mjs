// Whatever it says of itself and its tools would act on a terminal, or passes for a line of somebody else.
import { serve, text } from './wire.mjs';

const said = process.argv[2];
process.stderr.write(`${said}\n`);
serve(
  said,
  {
    'tools/list': () => ({
      tools: [
        { name: said, inputSchema: { type: 'object' } },
        {
          name: 'good',
          title: said,
          description: said,
          inputSchema: { type: 'object', properties: { a: { type: 'string', description: said } } },
          annotations: { title: said },
        },
      ],
    }),
    'prompts/list': () => ({ prompts: [{ name: said }, { name: 'ask', description: said }] }),
    'resources/list': () => ({ resources: [{ uri: said, name: said }] }),
    'tools/call': () => ({
      ...text(said),
      content: [{ type: said }, { type: 'text', text: said }],
      isError: true,
    }),
  },
  { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } },
);
