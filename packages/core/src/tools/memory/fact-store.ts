import { join } from 'node:path';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { diffFile } from '@toolwright/machine/base/diff.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { DEFAULT_CONTEXT_FILE } from '@toolwright/machine/base/places/context-names.js';
import {
  applyEdits,
  decodeText,
  encodeText,
  spliceText,
  type TextEdit,
} from '@toolwright/machine/base/text-codec.js';
import { type OwnTextFile, openOwnTextFile } from '@toolwright/machine/host/state/own-text-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { editToAdd, editToRemove, type Fact, factsIn } from '../../memory/facts.js';
import {
  exists,
  loadTarget,
  planCreation,
  planEdits,
  type TextChangeHost,
  type TextChangeOptions,
  type TextPlan,
} from '../text-change/text-plan.js';

/** The scope of a fact: remembered everywhere, or in this project. */
export type MemoryScope = 'global' | 'project';

/** A change of one fact. It can be made again on a file that others have changed meanwhile. */
type FactChange = { add: string } | { remove: string };

export interface FactPlan {
  /** Null when there is nothing to do. */
  diff: FileDiff | null;
  effects: Effect[];
  commit(signal: AbortSignal): Promise<CommittedFact>;
}

interface CommittedFact {
  /** Null when someone else had made the same change by then. */
  diff: FileDiff | null;
  /** For undo; a global file has none. */
  changeSet?: string;
}

/** The remembered facts of one scope. */
export interface FactStore {
  readonly scope: MemoryScope;
  readonly path: string;
  /** The path as users and models read it. */
  readonly shown: string;
  list(signal: AbortSignal): Promise<string[]>;
  plan(change: FactChange, signal: AbortSignal): Promise<FactPlan>;
}

const ATTEMPTS = 8;
const MAX_TEXT = 1_000_000;
const MAX_FACTS = 500;

/** The remembered facts of each scope. */
export type FactStores = Record<MemoryScope, FactStore>;

export interface FactNeeds extends Pick<TextChangeOptions, 'commit'> {
  host: TextChangeHost;
  state: State;
  /** Name of the context file in both scopes; default: `AGENTS.md`. */
  fileName?: string | undefined;
}

/** The facts that are remembered in context files. */
export function openFacts({ host, state, commit, fileName = DEFAULT_CONTEXT_FILE }: FactNeeds): FactStores {
  return {
    project: openProjectFacts({ host, commit, fileName }),
    global: openGlobalFacts(openOwnTextFile(state, fileName)),
  };
}

interface ProjectNeeds extends Pick<TextChangeOptions, 'commit'> {
  host: TextChangeHost;
  fileName: string;
}

/** Facts in the context file of the workspace, changed like any other file there. */
function openProjectFacts({ host, fileName, commit }: ProjectNeeds): FactStore {
  const path = join(host.workspace.directory, fileName);
  const shown = host.workspace.show(path);

  async function planText(change: FactChange, signal: AbortSignal): Promise<TextPlan | null> {
    const target = await loadTarget(host, path, signal);
    const text = target.file?.decoded.text ?? '';
    const edit = editFor(change, text, shown);
    if (!edit) return null;
    return exists(target) ? planEdits(host, target, [edit]) : planCreation(host, target, edit.text);
  }

  return {
    scope: 'project',
    path,
    shown,
    async list(signal) {
      const { file } = await loadTarget(host, path, signal);
      return factsIn(bounded(file?.decoded.text ?? '', shown)).map(({ fact }) => fact);
    },
    async plan(change, signal) {
      const plan = await planText(change, signal);
      const effects: Effect[] = plan ? [{ kind: 'memory', scope: 'project', path }] : [];
      // The file behind a link may be one that is never written without a question.
      const real = plan?.target.realPath;
      if (real !== undefined && real !== path) effects.push({ kind: 'write', path: real });
      return {
        diff: plan?.planned?.diff ?? null,
        effects,
        commit: (inner) =>
          commitAgain(plan, {
            async commit({ planned }) {
              return planned && { diff: planned.diff, changeSet: await commit(planned, inner) };
            },
            async planAgain(before, conflict) {
              const again = await planText(change, inner);
              // A link may lead elsewhere by now.
              if (again && again.target.realPath !== before.target.realPath) throw conflict;
              return again;
            },
          }),
      };
    },
  };
}

interface FactCommit<Plan> {
  /** Null when the plan changes nothing. */
  commit(plan: Plan): Promise<CommittedFact | null>;
  /** The plan for the file as it is now; null when nothing is left to do. */
  planAgain(before: Plan, conflict: unknown): Promise<Plan | null>;
}

/** Commits a plan; where others were faster, it is made again on what they wrote. */
async function commitAgain<Plan>(
  first: Plan | null,
  { commit, planAgain }: FactCommit<Plan>,
): Promise<CommittedFact> {
  let plan = first;
  for (let attempt = 1; plan !== null; attempt++) {
    try {
      return (await commit(plan)) ?? { diff: null };
    } catch (error) {
      if (!isToolError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
      plan = await planAgain(plan, error);
    }
  }
  return { diff: null };
}

/** Facts in the user's own context file, which counts in every project. */
function openGlobalFacts(file: OwnTextFile): FactStore {
  const { path } = file;
  return {
    scope: 'global',
    path,
    shown: path,
    async list() {
      const bytes = await file.read();
      const decoded = bytes ? await decodeText(bytes) : null;
      return factsIn(decoded?.text ?? '').map(({ fact }) => fact);
    },
    async plan(change) {
      const plan = await planGlobal(file, change);
      return {
        diff: plan?.diff ?? null,
        effects: plan ? [{ kind: 'memory', scope: 'global', path }] : [],
        commit: (signal) =>
          commitAgain(plan, {
            async commit({ before, after, diff }) {
              await file.replace(after, before, signal);
              return { diff };
            },
            planAgain: () => planGlobal(file, change),
          }),
      };
    },
  };
}

async function planGlobal({ path, read }: OwnTextFile, change: FactChange) {
  const before = await read();
  const decoded = before ? await decodeText(before) : null;
  if (before && !decoded)
    throw new ToolError('failed', `${path} is not a text file, so nothing was written.`);
  const edit = editFor(change, decoded?.text ?? '', path);
  if (!edit) return null;
  const after = before && decoded ? await spliceText(before, decoded, [edit]) : await encodeText(edit.text);
  const texts = { before: decoded?.text ?? null, after: applyEdits(decoded?.text ?? '', [edit]) };
  const diff: FileDiff = { kind: 'diff', files: [await diffFile({ path, ...texts })] };
  return { before, after, diff };
}

function editFor(change: FactChange, text: string, shown: string): TextEdit | null {
  bounded(text, shown);
  if ('remove' in change) return editToRemove(text, change.remove);
  const edit = editToAdd(text, change.add);
  const known: Fact[] = edit ? factsIn(text) : [];
  if (known.length < MAX_FACTS) return edit;
  throw new ToolError(
    'too_large',
    `${shown} holds ${known.length} facts already, the most there may be. Ask the user to remove some: toolwright memory forget.`,
  );
}

function bounded(text: string, shown: string): string {
  if (text.length <= MAX_TEXT) return text;
  throw new ToolError('too_large', `${shown} is too large for a file of notes, so it was not changed.`);
}
