import { resolve } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { HookFormat } from './hook.js';
import { builtinNamed, isTyping, type NamedTool } from './hook-names.js';

type HookArguments = Record<string, unknown>;

interface HookView {
  /** The agent whose names of arguments the hook knows. */
  names: HookFormat;
  /** The folder that relative paths begin in. */
  workspace: string;
}

/** An argument by the name that Claude Code has for it, and in its form. */
interface OtherArgument {
  name: string;
  give?(value: unknown, params: HookArguments): unknown;
  take?(value: unknown): HookArguments;
}

const states = new Map([
  ['open', 'pending'],
  ['active', 'in_progress'],
  ['done', 'completed'],
]);
const ourStates = new Map([...states].map(([ours, theirs]) => [theirs, ours]));

const todos: OtherArgument = {
  name: 'todos',
  give: (items) =>
    listOf(items).map(({ text, state }) => ({
      content: text,
      status: states.get(String(state)) ?? state,
      activeForm: text,
    })),
  take: (written) => ({
    items: listOf(written).map(({ content, status }) =>
      withoutAbsent({ text: content, state: ourStates.get(String(status)) ?? status }),
    ),
  }),
};

const questions: OtherArgument = {
  name: 'questions',
  give: (question, { choices, several }) => [
    {
      question,
      header: '',
      options: (Array.isArray(choices) ? choices : []).map((label) => ({ label, description: '' })),
      multiSelect: several === true,
    },
  ],
  take(written) {
    const [{ question, options, multiSelect } = {} as HookArguments, ...more] = listOf(written);
    if (more.length > 0)
      throw new ToolError(
        'invalid_params',
        `it gave ${more.length + 1} questions, and only one can be asked at a time`,
      );
    const choices = listOf(options).map(({ label }) => label);
    return withoutAbsent({
      question,
      choices: choices.length > 0 ? choices : undefined,
      several: multiSelect === true || undefined,
    });
  },
};

/** A parameter that is there without a value is refused. */
function withoutAbsent(params: HookArguments): HookArguments {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

function listOf(value: unknown): HookArguments[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The arguments of our tools that Claude Code names otherwise; null for one that is part of another. */
const otherArguments = new Map(
  Object.entries<Record<string, OtherArgument | null>>({
    read_file: { absolute_path: { name: 'file_path' } },
    notebook_edit: { file_path: { name: 'notebook_path' }, source: { name: 'new_source' } },
    agent: { agent: { name: 'subagent_type' }, task: { name: 'prompt' } },
    skill: { name: { name: 'skill' } },
    todo: { items: todos },
    ask_user: { question: questions, choices: null, several: null },
  }),
);

/** Arguments that are paths, which guards know as absolute ones. */
const paths: ReadonlySet<string> = new Set(['file_path', 'notebook_path', 'absolute_path', 'path']);

function othersOf({ name, params = {} }: NamedTool): Record<string, OtherArgument | null> {
  if (isTyping({ name, params })) return { text: { name: 'command' } };
  return otherArguments.get(name) ?? {};
}

/** Typing has the name of a command for every agent; the other names are those of Claude Code. */
function othersFor(tool: NamedTool, names: HookFormat): Record<string, OtherArgument | null> {
  return names === 'claude' || isTyping(tool) ? othersOf(tool) : {};
}

/**
 * The arguments as the hook expects them: by the names and in the form of its agent. A parameter that has such a name although
 * the tool knows none of that name is left out: the model could show a hook something else than what happens.
 */
export function hookInputOf(
  tool: NamedTool & { params: HookArguments },
  { names, workspace }: HookView,
): HookArguments {
  const { params } = tool;
  const others = othersFor(tool, names);
  const taken = new Set(Object.values(others).map((other) => other?.name));
  const isOurs = names === 'claude' && tool.server === undefined && builtinNamed(tool.name) !== null;
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]): [string, unknown][] => {
      const other = Object.hasOwn(others, name) ? others[name] : undefined;
      if (other === null || (other === undefined && taken.has(name))) return [];
      const given = other?.give ? other.give(value, params) : value;
      const told = other?.name ?? name;
      const isPath = isOurs && paths.has(told) && typeof given === 'string' && given !== '';
      return [[told, isPath ? resolve(workspace, given) : given]];
    }),
  );
}

/**
 * Arguments that a hook gives in place of those of the call, by our names; a name that is ours already stays. Throws a `ToolError`
 * for those that make no call of ours.
 */
export function paramsOfHook(tool: NamedTool, input: HookArguments, names: HookFormat): HookArguments {
  const others = Object.entries(othersFor(tool, names));
  return Object.assign(
    {},
    ...Object.entries(input).map(([name, value]): HookArguments => {
      const [ours, other] = others.find(([, each]) => each?.name === name) ?? [];
      if (ours === undefined || !other) return { [name]: value };
      return other.take ? other.take(value) : { [ours]: value };
    }),
  ) as HookArguments;
}
