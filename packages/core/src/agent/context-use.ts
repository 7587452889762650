import type { FunctionDeclaration, Message, Part } from '@toolwright/machine/base/content.js';

/** A share of the context window, and what takes it. */
export interface ContextShare {
  what: 'instructions' | 'tools' | 'prompts' | 'answers' | 'results' | 'media';
  /** About so many. */
  tokens: number;
}

const BYTES_PER_TOKEN = 4;
/** An image costs about so much, whatever its size in bytes. */
const TOKENS_PER_MEDIA = 1_500;

/** Divides the next request by kind. Sizes are estimates: four bytes are taken for a token. */
export function contextShares(request: {
  system: string;
  tools: readonly FunctionDeclaration[];
  messages: readonly Message[];
}): ContextShare[] {
  const bytes = { prompts: 0, answers: 0, results: 0, media: 0 };
  for (const { role, parts } of request.messages) {
    for (const part of parts) {
      if (part.inlineData || part.fileData) bytes.media += 1;
      else bytes[kindOf(role, part)] += JSON.stringify(part).length;
      bytes.media += part.functionResponse?.parts?.length ?? 0;
    }
  }
  const tokens = (size: number): number => Math.round(size / BYTES_PER_TOKEN);
  return [
    { what: 'instructions', tokens: tokens(request.system.length) },
    { what: 'tools', tokens: tokens(JSON.stringify(request.tools).length) },
    { what: 'prompts', tokens: tokens(bytes.prompts) },
    { what: 'answers', tokens: tokens(bytes.answers) },
    { what: 'results', tokens: tokens(bytes.results) },
    { what: 'media', tokens: bytes.media * TOKENS_PER_MEDIA },
  ];
}

function kindOf(role: Message['role'], part: Part): 'prompts' | 'answers' | 'results' {
  if (part.functionResponse) return 'results';
  return role === 'model' ? 'answers' : 'prompts';
}
