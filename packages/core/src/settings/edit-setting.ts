import { createHash } from 'node:crypto';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { editJsonc } from '@toolwright/machine/base/configuration/jsonc-edit.js';
import type { JsonNode } from '@toolwright/machine/base/configuration/plain-json.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { lookAt, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import type { Locks } from '@toolwright/machine/host/state/locks.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import { type CheckContext, checkValue, unknownKey } from './check-value.js';
import { type Problem, settingsError } from './problems.js';
import { settingPaths } from './read-layer.js';
import { settingKeys } from './setting-keys.js';
import type { Key } from './setting-kinds.js';
import { nodeOf } from './user-layers.js';

export interface SettingEdit {
  file: string;
  /** The keys, such as `['mcpServers', 'github']`. */
  path: readonly string[];
  /** `undefined` removes the setting. */
  value: unknown;
}

/** Changes one setting in a file: comments and order stay, and lines it does not touch. Makes the file if there is none. False: it was so already. */
export async function editSetting(edit: SettingEdit, locks: Locks, signal: AbortSignal): Promise<boolean> {
  const { key, inside } = keyAt(edit.path);
  const problem = problemOf(edit, key, inside);
  if (problem !== null) throw new SettingsError(problem);
  const file = await realPathOf(edit.file);
  if ((await lookAt(file))?.kind === 'directory')
    throw new SettingsError(
      `${file} is a folder, so nothing was written. While a job runs in the background an empty folder keeps that name from it: end the job, then try again.`,
    );
  const name = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return locks.withLock(
    `settings-${name}`,
    async () => {
      const before = (await readSmallFile(file))?.toString('utf8') ?? '';
      const after = await changed(before, edit, key);
      if (after !== before) await replaceFile(file, after);
      return after !== before;
    },
    signal,
  );
}

/** The setting a path leads to, and how far the path goes on inside it: into a map, by one name. */
function keyAt(path: readonly string[]): { key: Key; inside: readonly string[] } {
  for (let length = path.length; length > 0; length--) {
    const key = settingPaths.get(path.slice(0, length).join('.'));
    if (key) return { key, inside: path.slice(length) };
  }
  throw new SettingsError(
    unknownKey(path.at(-1) ?? '', path.join('.'), settingKeys, [...settingPaths.keys()]),
  );
}

function problemOf({ path, value }: SettingEdit, key: Key, inside: readonly string[]): string | null {
  if (inside.length > (key.kind.type === 'map' ? 1 : 0))
    return `${path.join('.')} is not a setting of its own.`;
  if (value === undefined) return null;
  const problems: string[] = [];
  const note = (_at: unknown, message: string) => problems.push(message);
  const context: CheckContext = { environment: {}, problem: note, warning: note, unset: () => undefined };
  const whole = inside.reduceRight<unknown>((item, name) => ({ [name]: item }), value);
  const place = { path: path.slice(0, path.length - inside.length).join('.'), key };
  checkValue(nodeOf(whole), key.kind, place, context);
  return problems.length === 0 ? null : problems.join('\n');
}

async function changed(text: string, { file, path, value }: SettingEdit, key: Key): Promise<string> {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const content = text.slice(mark.length);
  const parsed = await parseJsonc(content);
  if (!parsed.ok)
    throw settingsError(
      parsed.problems.map(
        ({ at, message }): Problem => ({ where: `${file}:${at.line}:${at.column}`, message: `${message}.` }),
      ),
    );
  if (parsed.root.type !== 'object')
    throw new SettingsError(`${file}:1:1: expected an object: settings are written between { and }.`);
  return mark + (await editJsonc(content, writtenPath(parsed.root, path, key), value));
}

/** Another spelling of the setting that the file already uses is changed in place. */
function writtenPath(root: JsonNode, path: readonly string[], key: Key): string[] {
  const other = (key.spellings ?? [])
    .map((spelling) => spelling.split('.'))
    .find((spelling) => has(root, spelling));
  return [...(other ?? path)];
}

function has(node: JsonNode, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const entry =
    node.type === 'object' ? node.entries.find((candidate) => candidate.name === name) : undefined;
  return entry !== undefined && has(entry.value, rest);
}
