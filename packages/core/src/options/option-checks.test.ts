import { SettingsError } from '@toolwright/machine/base/errors.js';
import { describe, expect, it } from 'vitest';
import { checkAgentOptions, checkToolboxOptions } from './option-checks.js';

function messageFor(check: (options: unknown) => void, options: unknown): string {
  try {
    check(options);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  return 'no mistake';
}

const client = { provider: 'mine', model: 'one', stream: async function* () {} };

describe('options of a toolbox that can not have been meant', () => {
  it.each([
    [undefined, 'createToolbox: the options: expected an object with workspace, got undefined.'],
    ['.', 'createToolbox: the options: expected an object with workspace, got string ".".'],
    [{}, 'createToolbox: workspace is missing.'],
    [{ workspace: '' }, 'createToolbox: workspace: expected a string that is not empty, got string "".'],
  ])('are refused: %j', (options, message) => {
    expect(messageFor(checkToolboxOptions, options)).toBe(message);
  });

  const modes = '"plan", "default", "auto-edit", "yolo"';
  it.each([
    [{ aprovalMode: 'plan' }, 'unknown option aprovalMode. Did you mean approvalMode?'],
    [
      { approvalMode: 'autoEdit' },
      `approvalMode: expected one of ${modes}, got string "autoEdit". Did you mean "auto-edit"?`,
    ],
    [{ approvalMode: 'always' }, `approvalMode: expected one of ${modes}, got string "always".`],
    [{ rules: { deny: ['Edit(**)'] } }, 'rules: expected a list, got an object.'],
    [
      { rules: ['Edit(**)'] },
      'rules[0]: expected an object with verdict, text, source, got string "Edit(**)".',
    ],
    [
      { rules: [{ verdict: 'denied', text: 'Edit(**)', source: 'me' }] },
      'rules[0].verdict: expected one of "allow", "ask", "deny", got string "denied".',
    ],
    [
      { rules: [{ verdict: 'deny', rule: 'Edit(**)', source: 'me' }] },
      'createToolbox:\n  rules[0].text is missing.\n  unknown option rules[0].rule. Known here: verdict, text, source, origin.',
    ],
    [{ include: ['/tmp'] }, 'include[0]: expected an object with path, access, got string "/tmp".'],
    [
      { include: [{ path: '/tmp', access: 'readonly' }] },
      'include[0].access: expected one of "read", "write", got string "readonly". Did you mean "read"?',
    ],
    [{ confirm: true }, 'confirm: expected a function, got boolean true.'],
    [{ secrets: 'hunter2' }, 'secrets: expected a list, got a string.'],
    [{ secrets: [12345] }, 'secrets[0]: expected a string, got a number.'],
    [
      { search: { provider: 'google', apikey: 'hunter2' } },
      'unknown option search.apikey. Did you mean search.apiKey?',
    ],
    [
      { search: { provider: 'duck' } },
      'search.provider: expected one of "tavily", "brave", "google", "searxng", "dashscope", "gemini", got string "duck".',
    ],
    [{ sandbox: 'off' }, 'sandbox: expected an object, got string "off".'],
    [
      { sandbox: { mode: 'require' } },
      'sandbox.mode: expected one of "auto", "required", "off", got string "require". Did you mean "required"?',
    ],
    [
      { mcp: { server: [] } },
      'createToolbox:\n  mcp.servers is missing.\n  unknown option mcp.server. Did you mean mcp.servers?',
    ],
    [{ permissionMode: 'plan' }, 'unknown option permissionMode. Did you mean approvalMode?'],
    [{ mcpServers: {} }, 'unknown option mcpServers. Did you mean mcp or configuredServers?'],
    [{ onEvent: () => undefined }, 'unknown option onEvent. Did you mean onCallEvent?'],
    [{ environment: { TOKEN: 5 } }, 'environment.TOKEN: expected a string, got a number.'],
    [
      { mcp: { servers: [{ config: { command: 'npx' }, place: '' }] } },
      'mcp.servers[0].config: expected what parseServer(name, settings, where) gives, got an object.',
    ],
    [{ resume: null }, 'resume: expected a string that is not empty, got null.'],
    [{ onCalEvent: () => undefined }, 'unknown option onCalEvent. Did you mean onCallEvent?'],
  ])('are refused: %j', (options, message) => {
    const found = messageFor(checkToolboxOptions, { workspace: '.', ...options });
    expect(found).toBe(message.startsWith('createToolbox') ? message : `createToolbox: ${message}`);
  });
});

describe('options of an agent that can not have been meant', () => {
  it.each([
    [
      { model: 'gpt-5.1' },
      'model: expected an object with provider and model, or a ModelClient with stream, got a string.',
    ],
    [
      { model: { provider: 'antropic' } },
      'model.provider: expected one of "openai", "openai-responses", "anthropic", "gemini", "offline", got string "antropic". Did you mean "anthropic"?',
    ],
    [{ model: { baseURL: 'http://localhost' } }, 'unknown option model.baseURL. Did you mean model.baseUrl?'],
    [{ model: { ...client, stream: 'text' } }, 'model.stream: expected a function, got string "text".'],
    [
      { model: { provider: 'mine', model: 'one', generate: () => 'text' } },
      'model.stream is missing: a ModelClient has provider, model and stream.',
    ],
    [{ model: new Date() }, 'model.stream is missing: a ModelClient has provider, model and stream.'],
    [{ maxTurns: -1 }, 'maxTurns: expected a whole number from 0, got number -1.'],
    [{ onEvents: () => undefined }, 'unknown option onEvents. Did you mean onEvent?'],
  ])('are refused: %j', (options, message) => {
    expect(messageFor(checkAgentOptions, { workspace: '.', ...options })).toBe(`createAgent: ${message}`);
  });
});

describe('options that are right', () => {
  it('pass for rules as the settings give them, with their origin', () => {
    const rules = [{ verdict: 'allow', text: 'edit', source: '--allowed-tools', origin: { layer: 'flags' } }];
    expect(messageFor(checkToolboxOptions, { workspace: '.', rules })).toBe('no mistake');
  });

  it('pass, undefined ones too', () => {
    const options = {
      workspace: '.',
      rules: [{ verdict: 'deny', text: 'Edit(**)', source: 'me' }],
      resume: undefined,
    };
    expect(messageFor(checkToolboxOptions, options)).toBe('no mistake');
    expect(messageFor(checkAgentOptions, { ...options, model: client, maxTurns: 5 })).toBe('no mistake');
    expect(messageFor(checkAgentOptions, { ...options, model: { provider: 'offline' } })).toBe('no mistake');
  });
});
