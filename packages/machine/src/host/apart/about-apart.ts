import { join } from 'node:path';
import { SettingsError } from '../../base/errors.js';
import { type JsonObject, jsonObjectIn } from '../../base/json.js';
import { readSmallFile } from '../state/read-file.js';
import { replaceFile } from '../state/replace-file.js';
import { savedFormats, upgrade } from '../state/versions.js';
import type { ApartSize } from './measure.js';

/** The record of a session apart, kept beside its changes. */
export interface AboutApart {
  id: string;
  /** The id of the session whose journal tells the conversation. */
  session: string;
  /** The folder that the session was started in. */
  workspace: string;
  /** The writable folders; `upper-N` holds the changes of the one at index N. */
  roots: string[];
  /** The prompt it began with; empty until there is one. */
  prompt: string;
  /** ISO 8601. */
  startedAt: string;
  /** The size as the latest program left it. */
  size?: ApartSize;
}

const FILE = 'about.json';
const LONGEST_PROMPT = 2_000;

export async function writeAbout(folder: string, about: AboutApart): Promise<void> {
  const prompt = about.prompt.slice(0, LONGEST_PROMPT);
  const text = JSON.stringify({ v: savedFormats.versions.apart, ...about, prompt }, null, 2);
  await replaceFile(join(folder, FILE), `${text}\n`);
}

/** Throws with a sentence about the file where it is missing or can't be used. */
export async function readAbout(folder: string): Promise<AboutApart> {
  const where = join(folder, FILE);
  const bytes = await readSmallFile(where);
  if (bytes === null) throw new SettingsError(`${where} is missing.`);
  const { v: _, ...about } = upgrade('apart', parsed(bytes, where), { where });
  if (isAbout(about)) return about;
  throw new SettingsError(`${where} does not say which workspace and which session it belongs to.`);
}

function parsed(bytes: Buffer, where: string): JsonObject {
  const value = jsonObjectIn(bytes.toString('utf8'));
  if (value) return value;
  throw new SettingsError(`${where} is damaged.`);
}

function isAbout(about: JsonObject): about is JsonObject & AboutApart {
  const texts = ['id', 'session', 'workspace', 'prompt', 'startedAt'].map((key) => about[key]);
  const roots = about['roots'];
  return [...texts, ...(Array.isArray(roots) ? roots : [null])].every((text) => typeof text === 'string');
}
