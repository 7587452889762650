import { SettingsError } from '@toolwright/machine/base/errors.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';

const SHORTEST = 16;
const LARGEST_FILE = 4_096;

/** Reads the token. Short ones are refused because they could be guessed, and some characters because they can't stand in a header. */
export async function readToken(given: string | { file: string }): Promise<string> {
  const [text, where] =
    typeof given === 'string' ? [given, 'The token'] : [await textOf(given.file), given.file];
  const token = text.trim();
  if (token.length < SHORTEST || !/^[\x21-\x7e]+$/.test(token))
    throw new SettingsError(
      `${where} must hold at least ${SHORTEST} characters without blanks. To make one: openssl rand -hex 32`,
    );
  return token;
}

async function textOf(file: string): Promise<string> {
  const bytes = await readSmallFile(file, LARGEST_FILE);
  if (!bytes) throw new SettingsError(`The token file ${file} does not exist.`);
  return bytes.toString('utf8');
}
