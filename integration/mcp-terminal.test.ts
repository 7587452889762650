import { readFileSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
import type { FakeAnswer } from '../packages/core/src/testing/fake-model/answer.js';
import { mcpToolName } from '../packages/core/src/tools/mcp/mcp-tool.js';
import {
  fileServer,
  isLinux,
  type McpStage,
  openMcpStage,
  processesOf,
  server,
  tool,
  toolsIn,
} from './mcp/stage.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('MCP servers');
const open: McpStage[] = [];

afterEach(async () => {
  for (const stage of open.splice(0)) await stage.close();
});

async function stageOf(...given: Parameters<typeof openMcpStage>): Promise<McpStage> {
  const stage = await openMcpStage(...given);
  open.push(stage);
  return stage;
}

async function begin({ machine, model }: McpStage): Promise<Conversation> {
  const talk = await start({ machine, env: model.environment(), columns: 100, rows: 40 });
  await talk.ready();
  return talk;
}

/** A conversation with a server whose tools are known already, and a model that says this. */
async function talkWithEverything(...answers: FakeAnswer[]): Promise<[Conversation, McpStage]> {
  const script = answers.length > 0 ? { answers } : undefined;
  const stage = await stageOf({ everything: server.everything }, script);
  await stage.run(['mcp', 'list']);
  return [await begin(stage), stage];
}

const callOf = (tool: string, args: Record<string, unknown> = {}): FakeAnswer => ({
  calls: [{ name: `everything__${tool}`, arguments: args }],
});

/** The question is there and can be answered. */
async function asked(talk: Conversation, text: string): Promise<void> {
  await talk.see(text);
  await talk.until(() => talk.isAsked(), `the question ${text}`);
}

async function end(talk: Conversation, { machine }: McpStage): Promise<void> {
  talk.type(keys.ctrlD);
  expect(await talk.ended()).toBe(0);
  await expect.poll(() => processesOf(machine)).toEqual([]);
}

const prompted = ({ model }: McpStage): string => JSON.stringify(model.requests.at(-1)?.body['messages']);

flow('prompts and resources of a server, and what it offers', async () => {
  const [talk, stage] = await talkWithEverything();
  await talk.say('/mcp');
  expect(talk.text()).toMatch(/everything +not started +\d+ tools, about [\d,]+ tokens/);
  await talk.say('/everything:args-prompt Paris');
  expect(prompted(stage)).toContain("What's weather in Paris?");
  await talk.say('/everything:args-prompt');
  expect(talk.text()).toContain('It needs city. Usage: /everything:args-prompt city=… [state=…]');
  await talk.say('/everything:args');
  expect(talk.text()).toMatch(/has no prompt args\. Did you mean .*args-prompt/);
  await talk.say('/mcp everything');
  const uri = /@everything:(\S+architecture\.md)/.exec(talk.text().replaceAll('\n', ''))?.[1];
  expect(uri).toBeDefined();
  await talk.say(`sum up @everything:${uri}.`);
  expect(prompted(stage)).toContain(`The resource ${uri} of the MCP server everything`);
  await talk.say('see @everything:demo://nothing');
  expect(talk.text()).toMatch(/@everything:demo:\/\/nothing is sent as written: MCP server "everything"/);
  await end(talk, stage);
});

flow(
  'a menu offers the prompts of a server, the values that it knows, and its resources after @server:',
  async () => {
    const [talk, stage] = await talkWithEverything();
    talk.type('/every\t');
    await talk.see('> /everything:');
    talk.type('cmpl');
    await talk.see(/❯ completable-prompt/);
    talk.type('\t');
    await talk.see(/> \/everything:completable-prompt\n❯ Engineering\n {2}Marketing\n {2}Sales\n {2}Support/);
    talk.type('Eng\t');
    await talk.see(/> \/everything:completable-prompt Engineering\n❯ Alice\n {2}Bob\n {2}Charlie/);
    talk.type(`${keys.ctrlC}sum up @every`);
    await talk.see(/❯ everything:/);
    talk.type('\tarchi');
    await talk.see(/> sum up @everything:archi\n❯ \S+architecture\.md/);
    talk.type('\t');
    await talk.see(/> sum up @everything:\S+architecture\.md\s*$/);
    talk.type(keys.ctrlC);
    await end(talk, stage);
  },
);

flow('a misspelt tool of a server is offered under one name', async () => {
  const call = { calls: [{ name: 'ecko', arguments: { message: 'a' } }] };
  const [talk, stage] = await talkWithEverything(call, { text: 'I see.' });
  await talk.say('echo it');
  expect(prompted(stage)).toMatch(/Did you mean everything__echo\?/);
  expect(talk.text()).toMatch(/There is no tool called "ecko"\. Did you mean\s+everything__echo\?/);
  await end(talk, stage);
});

flow('a call of a server is asked about with its arguments, and may be allowed for the session', async () => {
  const call = callOf('get-sum', { a: 4, b: 5 });
  const [talk, stage] = await talkWithEverything(call, { text: 'Nine.' }, call, { text: 'Nine again.' });
  talk.type('add\r');
  await asked(talk, '? Call get-sum on the MCP server everything');
  expect(talk.text()).toMatch(/get-sum \{\n +"a": 4,\n +"b": 5\n/);
  talk.type('a');
  await talk.see(/1 {2}get-sum of the MCP server everything/);
  talk.type('1');
  await talk.see('Nine.');
  await talk.ready();
  await talk.say('once more');
  expect(talk.text()).toContain('Nine again.');
  await end(talk, stage);
});

flow(
  'a server asks for a form: field by field, with defaults, and what does not fit is asked again',
  async () => {
    const call = callOf('trigger-elicitation-request');
    const [talk, stage] = await talkWithEverything(call, { text: 'Thanks.' });
    talk.type('ask me\r');
    await asked(talk, '? Call trigger-elicitation-request on the MCP server everything');
    talk.type('y\r');
    const answer = async (field: string, typed: string): Promise<void> => {
      await asked(talk, field);
      talk.type(`${typed}\r`);
    };
    await answer('Your full, legal name', '= Ann Lee');
    await answer('Agree to the terms', '1');
    await answer('Favorite first line', 'd');
    await answer('Your email address', 's');
    await answer('Portfolio', 's');
    await answer('Your date of birth', 's');
    await answer('Your favorite integer', '= 400');
    await answer('maximum', '= 7');
    await answer('Favorite number', 'd');
    await answer('Choose your favorite friend', '3');
    await answer('Choose your favorite instruments', '= Piano, Bass');
    for (const field of ['favorite hero', 'types of fish', 'type of pet']) await answer(field, 's');
    await talk.see('Thanks.');
    expect(talk.text()).not.toContain('MaxListeners');
    const said = stage.responses().join();
    for (const value of ['Ann Lee', 'dark and stormy', '7', 'Joey', 'Piano', 'Bass'])
      expect(said).toContain(value);
    await talk.ready();
    await end(talk, stage);
  },
);

flow('a server that speaks both revisions asks its question in the newer one', async () => {
  const stage = await stageOf(
    { both: server.misbehaving('newer') },
    { answers: [{ calls: [{ name: 'both__greet', arguments: {} }] }, { text: 'Greeted.' }] },
  );
  await stage.run(['mcp', 'list']);
  const talk = await begin(stage);
  talk.type('greet me\r');
  await asked(talk, '? Call greet on the MCP server both');
  talk.type('y\r');
  await asked(talk, 'Your name?');
  talk.type('= Ann\r');
  await talk.see('Greeted.');
  const [response] = stage.responses();
  expect(response).toMatch(/hello Ann, .*, 2026-07-28/);
  console.log(`evidence: a server of both revisions that asked a question answered ${response}`);
  await talk.ready();
  await end(talk, stage);
});

flow(
  'a server asks to open an address, and for an answer of the model: both are shown, and can be declined',
  async () => {
    const [talk, stage] = await talkWithEverything(
      callOf('trigger-url-elicitation', { url: 'https://example.org/x' }),
      { text: 'Opened.' },
      callOf('trigger-sampling-request', { prompt: 'a joke' }),
      { text: 'A horse walks into a bar.' },
      { text: 'Told.' },
      callOf('trigger-sampling-request', { prompt: 'another' }),
      { text: 'Not told.' },
    );
    talk.type('open it\r');
    await asked(talk, '? Call trigger-url-elicitation');
    talk.type('a2\r');
    await asked(talk, '? The MCP server everything asks you to open an address');
    talk.type('y\r');
    await talk.see('Opened.');
    await talk.ready();
    talk.type('tell me a joke\r');
    await asked(talk, '? Let the MCP server everything ask the model');
    expect(talk.text()).toContain('Resource trigger-sampling-request context: a joke');
    talk.type('y\r');
    await talk.see('Told.');
    expect(stage.responses().join()).toContain('A horse walks into a bar.');
    await talk.ready();
    talk.type('and another\r');
    await asked(talk, 'context: another');
    talk.type('n\r');
    await talk.see('Not told.');
    expect(talk.text()).toContain('asked for an answer from the model; that was declined.');
    await talk.ready();
    await end(talk, stage);
  },
);

for (const era of ['older', 'newer'])
  flow(
    `a server of the ${era} revision samples with tools of its own: the user sees them each time`,
    async () => {
      const weather = (city: string): FakeAnswer => ({
        calls: [{ name: mcpToolName('sky', 'get.weather'), arguments: { city } }],
      });
      const call = { calls: [{ name: 'sky__weather', arguments: {} }] };
      const stage = await stageOf(
        { sky: server.misbehaving('sampling-tools', ...(era === 'older' ? ['older'] : [])) },
        {
          answers: [
            call,
            weather('Bonn'),
            { text: 'Sunny.' },
            { text: 'Sunny, it says.' },
            call,
            { text: 'No.' },
          ],
        },
      );
      await stage.run(['mcp', 'list']);
      const talk = await begin(stage);
      talk.type('how is it outside?\r');
      await asked(talk, '? Call weather on the MCP server sky');
      talk.type('a1\r');
      await asked(talk, '? Let the MCP server sky ask the model');
      expect(talk.text()).toContain('tool get.weather: The weather of a city.');
      expect(talk.text()).toContain('offers the model 1 tool of its own');
      talk.type('y\r');
      await asked(talk, 'sunny in Bonn');
      talk.type('y\r');
      await talk.see('Sunny, it says.');
      expect(stage.responses().join()).toContain('Sunny.');
      const [, first, second] = stage.model.requests.map(({ body }) => body);
      expect(JSON.stringify(first?.['tools'])).toContain(mcpToolName('sky', 'get.weather'));
      expect(toolsIn(stage.model, 1)).toHaveLength(1);
      expect(JSON.stringify(second?.['messages'])).toContain('sunny in Bonn');
      await talk.ready();
      talk.type('and now?\r');
      await asked(talk, '? Let the MCP server sky ask the model');
      talk.type('n\r');
      await talk.see('No.');
      expect(talk.text()).toContain('asked for an answer from the model; that was declined.');
      await talk.ready();
      await end(talk, stage);
    },
  );

flow('new tools are accepted in the conversation, after their definition was shown', async () => {
  const stage = await stageOf({});
  const notes = fileServer(stage.machine, [tool('keep')]);
  stage.configure({ notes });
  await stage.run(['mcp', 'list']);
  notes.change([tool('keep'), tool('burn', 'Burns it.')]);
  const talk = await begin(stage);
  talk.type('/mcp accept notes\r');
  await asked(talk, '? Accept these definitions of notes?');
  expect(talk.text()).toMatch(/\+ +"description": "Burns it\."/);
  talk.type('y\r');
  await talk.see('Accepted: notes has 2 tools.');
  await talk.ready();
  await talk.say('hello');
  expect(stage.declared(0)).toContain('notes__burn');
  await end(talk, stage);
});

flow('a server whose code has changed is started after a yes, and after a no it stays off', async () => {
  const greet = { calls: [{ name: 'notes__keep', arguments: { text: 'x' } }] };
  const stage = await stageOf({}, { answers: [greet, { text: 'One.' }, greet, { text: 'Two.' }] });
  const { machine } = stage;
  const { args } = fileServer(machine, [tool('keep')]) as unknown as { args: [string] };
  machine.write('server.mjs', readFileSync(args[0], 'utf8'));
  const notes = { command: process.execPath, args: ['server.mjs'], sandbox: 'off', trust: true };
  stage.configure({ notes });
  await stage.run(['mcp', 'list', '--trust']);
  machine.write('server.mjs', `${readFileSync(args[0], 'utf8')}// changed\n`);
  for (const [answer, response] of [
    ['n', 'what it runs is not what you agreed to'],
    ['y', 'keep '],
  ] as const) {
    const env = stage.model.environment();
    const talk = await start({ machine, env, columns: 100, rows: 40, args: ['--trust'] });
    await talk.ready();
    talk.type('keep x\r');
    await asked(talk, '? Start the MCP server notes? What it runs has changed since you agreed to it.');
    expect(talk.text()).toMatch(/changed: .*server\.mjs/);
    talk.type(`${answer}\r`);
    await talk.see(answer === 'n' ? 'One.' : 'Two.');
    expect(stage.responses().at(-1)).toContain(response);
    await end(talk, stage);
  }
});

if (!isLinux) console.log('evidence: processes of servers were not counted: there is no /proc here');
