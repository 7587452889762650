// Offers tools of its own to the client's model, in the newer revision or, with the argument `older`, in the one before
// it. Each of its tools is a conversation: it yields the parameters of a sampling request and is given the result.
import { objectSchema, send, serve } from './wire.mjs';

const isOlder = process.argv[2] === 'older';
const weather = {
  name: 'get.weather',
  description: 'The weather of a city.',
  inputSchema: objectSchema({ city: { type: 'string' } }),
};
const user = (...content) => ({ role: 'user', content });
const words = (text) => ({ type: 'text', text });
const use = (id) => ({ type: 'tool_use', id, name: 'get.weather', input: {} });
const outcome = (toolUseId, text = 'sunny') => ({ type: 'tool_result', toolUseId, content: [words(text)] });
const asked = (messages, more = {}) => ({ messages, maxTokens: 100, tools: [weather], ...more });
const model = (...content) => ({ role: 'assistant', content });

/** Carries out the calls of the model until it answers in words. */
function* converse(most) {
  const messages = [user(words('How is the weather?'))];
  for (let round = 0; round < most; round++) {
    const { content, stopReason } = yield asked(messages);
    const blocks = [content].flat();
    if (stopReason !== 'toolUse') return blocks.map(({ text }) => text).join('');
    const uses = blocks.filter(({ type }) => type === 'tool_use');
    messages.push(
      model(...blocks),
      user(...uses.map(({ id, input }) => outcome(id, `sunny in ${input.city}`))),
    );
  }
  return 'never ended';
}

const calls = {
  weather: () => converse(5),
  endless: () => converse(1_000),
  *'result-without-call'() {
    yield asked([user(words('Hi')), model(words('Hello.')), user(outcome('a'))]);
  },
  *'call-without-result'() {
    yield asked([user(words('Hi')), model(use('a')), user(words('And?'))]);
  },
  *'other-result'() {
    yield asked([user(words('Hi')), model(use('a')), user(outcome('b'))]);
  },
  *'mixed-content'() {
    yield asked([user(words('Hi')), model(use('a')), user(outcome('a'), words('Do more.'))]);
  },
  *'wrong-schema'() {
    yield asked([user(words('Hi'))], {
      tools: [{ name: 'bad', inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }],
    });
  },
  *'many-tools'() {
    const tools = Array.from({ length: 500 }, (_, index) => ({ ...weather, name: `tool${index}` }));
    yield asked([user(words('Hi'))], { tools });
  },
  *'required-nothing'() {
    yield asked([user(words('Hi'))], { tools: [], toolChoice: { mode: 'required' } });
  },
};

const text = (value) => ({ resultType: 'complete', content: [words(value)] });
let count = 0;
const waiting = new Map();

/** The older revision: the client is asked while the call waits. */
async function ask(params) {
  const id = `ask-${++count}`;
  const answer = await new Promise((resolve) => {
    waiting.set(id, resolve);
    send({ id, method: 'sampling/createMessage', params });
  });
  if (answer.error) throw new Error(`refused with ${answer.error.code}: ${answer.error.message}`);
  return answer;
}

async function converseNow(conversation) {
  let step = conversation.next();
  while (!step.done) step = conversation.next(await ask(step.value));
  return text(String(step.value));
}

/** The newer revision: the call comes back with the answer. */
function converseInRounds({ name, inputResponses, requestState }) {
  const conversation = waiting.get(requestState) ?? calls[name]();
  const { done, value } = conversation.next(inputResponses?.sample);
  if (done) return text(String(value));
  const state = String(++count);
  waiting.set(state, conversation);
  return {
    resultType: 'input_required',
    inputRequests: { sample: { method: 'sampling/createMessage', params: value } },
    requestState: state,
  };
}

let capabilities;
serve(
  'sampling-tools',
  {
    'server/discover': ({ _meta }) => {
      if (isOlder) throw new Error('not known');
      capabilities = _meta['io.modelcontextprotocol/clientCapabilities'];
      return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    },
    initialize: (params) => {
      capabilities = params.capabilities;
      const serverInfo = { name: 'sampling-tools', version: '1' };
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    },
    'tools/list': () => ({
      resultType: 'complete',
      tools: [...Object.keys(calls), 'capability'].map((name) => ({ name, inputSchema: objectSchema() })),
    }),
    'tools/call': (params) => {
      if (params.name === 'capability') return text(JSON.stringify(capabilities.sampling ?? null));
      return isOlder ? converseNow(calls[params.name]()) : converseInRounds(params);
    },
  },
  { onAnswer: (id, answer) => waiting.get(id)?.(answer) },
);
