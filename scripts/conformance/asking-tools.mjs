import { form, pause, sample, tool } from './test-tool.mjs';

const name = { name: { type: 'string' } };
const ok = { ok: { type: 'boolean' } };
const roots = { method: 'roots/list', params: {} };
const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }));

/** A tool that asks these at once, and says what was answered. */
function asking(toolName, requests, said = (answers) => JSON.stringify(answers)) {
  return tool(toolName, async ({ caller, signal }) => said(await caller.ask(requests, signal)));
}

/** A tool that becomes a task before it asks. */
function askingLate(toolName, requests) {
  return tool(toolName, async ({ caller, signal }) => {
    await pause(900);
    return JSON.stringify(await caller.ask(requests, signal));
  });
}

export const askingTools = [
  asking('test_input_required_result_elicitation', { user_name: form('What is your name?', name) }),
  asking('test_streaming_elicitation', { user_name: form('What is your name?', name) }),
  asking('test_input_required_result_sampling', { capital: sample('What is the capital of France?') }),
  asking('test_input_required_result_list_roots', { client_roots: roots }),
  asking(
    'test_input_required_result_request_state',
    { confirm: form('Please confirm', ok) },
    () => 'state-ok',
  ),
  asking('test_input_required_result_tampered_state', { confirm: form('Please confirm', ok) }),
  asking('test_input_required_result_multiple_inputs', {
    user_name: form('What is your name?', name),
    greeting: sample('Generate a greeting', 50),
    client_roots: roots,
  }),
  tool('test_input_required_result_multi_round', async ({ caller, signal }) => {
    const color = { color: { type: 'string' } };
    const one = await caller.ask({ step1: form('Step 1: What is your name?', name) }, signal);
    const two = await caller.ask({ step2: form('Step 2: What is your favorite color?', color) }, signal);
    return JSON.stringify({ ...one, ...two });
  }),
  tool('test_input_required_result_capabilities', async ({ caller, signal }) => {
    const all = { user_name: form('What is your name?', name), greeting: sample('Generate a greeting') };
    const taken = Object.entries(all).filter(([, { method }]) => caller.takes(method));
    return JSON.stringify(await caller.ask(Object.fromEntries(taken), signal));
  }),
  asking('test_missing_capability', { answer: sample('Say something') }),
  tool('test_sampling', async ({ params, caller, signal }) => {
    const { answer } = await caller.ask({ answer: sample(params.prompt) }, signal);
    return `LLM response: ${answer.content.text}`;
  }),
  asking('test_elicitation_sep1034_defaults', {
    defaults: form('Please look at these', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  }),
  asking('test_elicitation_sep1330_enums', {
    enums: form('Please choose', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    }),
  }),
  askingLate('confirm_delete', { confirm: form('Delete it?', ok) }),
  // The client of this scenario offers no roots.
  askingLate('protocol_error_job', { client_roots: roots }),
  askingLate('multi_input', { first: form('First?', ok), second: form('Second?', ok) }),
  tool('test_tool_with_task', async ({ caller, signal }) => {
    const answers = await caller.ask({ user_name: form('What is your name?', name) }, signal);
    await pause(900);
    return `Hello, ${answers.user_name.content.name}!`;
  }),
];
