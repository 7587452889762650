import { ToolError } from '@toolwright/machine/base/errors.js';
import type { ExtensionDigests } from '../extension-digests.js';
import type { KnownPieces } from '../known-pieces.js';
import { describePieceProblem, type PieceFolder } from '../piece.js';
import {
  type AgentPiece,
  type AgentsOfFolder,
  agentsIn,
  type FoundAgents,
  findAgents,
  readAgent,
} from './agent-piece.js';

interface KnownAgentsNeeds {
  known: KnownPieces;
  digests: Pick<ExtensionDigests, 'isHeld'>;
}

/** Those of extensions that are held to a digest come without their words, which `wholeAgent` reads. */
export async function knownAgents(
  folders: readonly PieceFolder[],
  { known, digests }: KnownAgentsNeeds,
): Promise<FoundAgents> {
  const held = folders.filter(({ path }) => digests.isHeld(path));
  if (held.length === 0) return findAgents(folders);
  const lists = await known.of('agents', {
    about: held,
    async read() {
      const value: AgentsOfFolder[] = [];
      for (const folder of held) value.push((await agentsIn(folder)).map(withoutWords));
      const files = value.flat().map(({ file }) => file);
      return { value, looked: [...held.map(({ path }) => path), ...files] };
    },
  });
  return findAgents(folders, new Map(held.map((folder, index) => [folder, lists[index] ?? []])));
}

function withoutWords(read: AgentsOfFolder[number]): AgentsOfFolder[number] {
  return 'problem' in read ? read : { ...read, prompt: '' };
}

/** Reads an agent of an extension anew once its digest has been checked; any other is as it was found. */
export async function wholeAgent(
  agent: AgentPiece,
  digests: ExtensionDigests,
  signal: AbortSignal,
): Promise<AgentPiece> {
  const { file } = agent;
  if (file === undefined || !digests.isHeld(file)) return agent;
  await digests.requireAccepted(file, signal);
  const read = await readAgent(file, { shown: agent.from });
  if ('problem' in read) throw new ToolError('denied', describePieceProblem(read));
  return read;
}
