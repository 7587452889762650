/** A flag; the parser, the help text and the shell completion are made from these. */
export interface Flag {
  name: string;
  short?: string;
  /** The name of the flag's value; without one the flag is a switch. */
  value?: string;
  /** The value may be left out. */
  optional?: boolean;
  choices?: readonly string[];
  /** May be given several times, or as a comma-separated list. */
  list?: boolean;
  /** May be given several times; commas mean nothing. */
  repeated?: boolean;
  help: string;
}

export const sandboxFlag: Flag = {
  name: 'sandbox',
  value: 'MODE',
  choices: ['auto', 'required', 'off'],
  help: 'Confine commands where possible (auto), always or else fail (required), or never (off).',
};

/** Flags of every command that runs tools. */
export const permissionFlags: readonly Flag[] = [
  {
    name: 'approval-mode',
    value: 'MODE',
    choices: ['plan', 'default', 'auto-edit', 'yolo'],
    help: 'Which calls may run without asking.',
  },
  { name: 'yolo', short: 'y', help: 'The same as --approval-mode yolo.' },
  sandboxFlag,
  { name: 'allowed-tools', value: 'NAMES', list: true, help: 'Tools or rules to allow without asking.' },
  { name: 'exclude-tools', value: 'NAMES', list: true, help: 'Tools to leave out.' },
];

export const promptFlags: readonly Flag[] = [
  {
    name: 'prompt',
    short: 'p',
    value: 'TEXT',
    help: 'Answer this prompt and exit; standard input is appended to it.',
  },
  {
    name: 'output-format',
    value: 'FORMAT',
    choices: ['text', 'json', 'stream-json'],
    help: 'Format of the answer: text (default), one JSON object, or one JSON event per line.',
  },
  {
    name: 'input-format',
    value: 'FORMAT',
    choices: ['text', 'stream-json'],
    help: 'Format of standard input: text (default), or one JSON line per prompt, answer or cancel.',
  },
  {
    name: 'json-schema',
    value: 'FILE',
    help: 'The answer must be JSON that fits this schema (a file, or the schema itself); one that does not is sent back at most twice.',
  },
  { name: 'append-system-prompt', value: 'TEXT', help: 'Text to add to the system prompt.' },
  {
    name: 'on-question',
    value: 'WHAT',
    choices: ['refuse', 'park'],
    help: 'Without a terminal: refuse what would need a question (default), or end with 55 and wait for toolwright answer.',
  },
  ...permissionFlags,
  {
    name: 'apart',
    help: 'Work apart, on a view of the workspace, until you have reviewed the changes.',
  },
  {
    name: 'resume',
    value: 'ID',
    optional: true,
    help: 'Continue an earlier session of this workspace; without an ID choose one, or the latest where there is no terminal.',
  },
  { name: 'continue', short: 'c', help: 'Continue the latest session.' },
  { name: 'session-id', value: 'ID', help: 'The id of the new session: letters, digits and -.' },
  { name: 'max-turns', value: 'N', help: 'Stop after this many answers from the model.' },
  { name: 'max-tokens', value: 'N', help: 'Stop when this many tokens were sent and received.' },
  { name: 'max-minutes', value: 'N', help: 'Stop after this many minutes.' },
  {
    name: 'max-cost',
    value: 'DOLLARS',
    help: 'Stop when this much was spent, by the known prices of the model.',
  },
  {
    name: 'provider',
    value: 'NAME',
    choices: ['openai', 'openai-responses', 'anthropic', 'gemini', 'offline'],
    help: 'Wire format to use; offline needs no key and no network.',
  },
  { name: 'model', value: 'NAME', help: 'The model to use.' },
  { name: 'base-url', value: 'URL', help: 'Address of the model API.' },
  {
    name: 'effort',
    value: 'LEVEL',
    choices: ['low', 'medium', 'high'],
    help: 'How long the model may think before it answers.',
  },
  { name: 'temperature', value: 'N', help: 'How random answers are, from 0 to 2.' },
  {
    name: 'fallback-model',
    value: 'NAMES',
    list: true,
    help: 'Models to ask, in this order, when the first is busy, unavailable or unknown.',
  },
  {
    name: 'record',
    value: 'FILE',
    help: 'Write the session into this file, without secrets, for toolwright replay.',
  },
  { name: 'with-tree', help: 'With --record: pack the files of the workspace as they are at the start.' },
];

export const commonFlags: readonly Flag[] = [
  { name: 'workspace', value: 'DIR', help: 'The folder to work in (default: the current one).' },
  {
    name: 'include-directories',
    value: 'DIRS',
    list: true,
    help: 'Additional folders the file tools may work in.',
  },
  { name: 'trust', help: "Trust this folder's settings for this run." },
  { name: 'settings', value: 'FILE', help: 'An additional settings file that overrides the others.' },
  { name: 'mcp-config', value: 'FILE', help: 'A file with additional MCP servers for this run.' },
  { name: 'debug', help: 'Write a detailed log; its path is printed at the end.' },
  { name: 'version', short: 'v', help: 'Print the version.' },
  { name: 'help', short: 'h', help: 'Print this help.' },
];

const apartFlag: Flag = {
  name: 'apart',
  help: 'Work apart, on a view of the workspace, until you have reviewed the changes.',
};

const modelFlags: readonly Flag[] = promptFlags.filter(({ name }) =>
  ['provider', 'model', 'base-url', 'max-turns'].includes(name),
);

/** Flags of `acp`: those of every session that the editor begins. */
export const acpFlags: readonly Flag[] = [...permissionFlags, apartFlag, ...modelFlags];

export const explainFlags: readonly Flag[] = [
  { name: 'json', help: 'Print JSON.' },
  {
    name: 'batch',
    help: 'Read one {"name", "args", "permissions"?} per line from standard input and print one JSON answer per line.',
  },
  {
    name: 'session',
    value: 'ID',
    help: 'Judge the calls of an earlier session by the current rules, and print what would change.',
  },
  { name: 'apart', help: 'Judge as in a session that works apart.' },
  ...permissionFlags,
];

export const toolsFlags: readonly Flag[] = [
  { name: 'args', value: 'JSON', help: 'The arguments of the call; - reads them from standard input.' },
  { name: 'json', help: 'Print JSON; with run: both what the model gets and what you see.' },
  {
    name: 'batch',
    help: 'Read one {"name", "args"} per line from standard input and print one JSON result per line.',
  },
  {
    name: 'provider',
    value: 'NAME',
    choices: ['openai', 'openai-responses', 'anthropic', 'gemini'],
    help: 'With show: print what is sent to this provider, and what is lost.',
  },
  { name: 'refresh', help: 'With list: run the discovery command again.' },
  { name: 'ts', help: 'With new: a tool in TypeScript (default).' },
  { name: 'exec', help: 'With new: a program in any language, with a manifest beside it.' },
  { name: 'user', help: 'With new: for all your projects, not just this one.' },
  ...permissionFlags,
];
