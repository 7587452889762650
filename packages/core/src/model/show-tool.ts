import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import type { ProviderName } from './accounts.js';
import { type CompiledTool, compileTool, describeSetAside } from './schema/compile-tools.js';
import type { Loss } from './schema/shape.js';

/** A tool as a provider would get it. */
export type ShownTool =
  | {
      offered: true;
      /** The tool as the request has it. */
      sent: object;
      /** Rules of the original schema that this one does not express. */
      losses: Loss[];
    }
  | { offered: false; reason: string };

type WireProvider = Exclude<ProviderName, 'offline'>;

/** A tool as one provider is sent it, with what is lost on the way. */
export async function showTool(declaration: FunctionDeclaration, provider: WireProvider): Promise<ShownTool> {
  const compiled = compileTool(declaration, provider === 'openai-responses' ? 'openai' : provider);
  if ('setAside' in compiled) return { offered: false, reason: describeSetAside(compiled.setAside) };
  const { tool } = compiled;
  return { offered: true, sent: await written(tool, provider), losses: tool.losses };
}

async function written(tool: CompiledTool, provider: WireProvider): Promise<object> {
  switch (provider) {
    case 'openai':
      return (await import('./openai/encode.js')).openAiTool(tool);
    case 'openai-responses':
      return (await import('./openai-responses/encode.js')).responsesTool(tool);
    case 'anthropic':
      return (await import('./anthropic/encode.js')).anthropicTool(tool, {});
    case 'gemini':
      return (await import('./gemini/encode.js')).geminiTool(tool);
  }
}
