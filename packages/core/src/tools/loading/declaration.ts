import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import { canonical } from '@toolwright/machine/base/json.js';
import type { Tool } from '../tools.js';

/** A tool as the model is told of it. Schemas that are not in order already are put in canonical order. */
export function declare(tool: Tool, isInOrder: boolean): FunctionDeclaration {
  const schema = isInOrder ? tool.parameterSchema : canonical(tool.parameterSchema);
  return Object.freeze({ name: tool.name, description: tool.description, parametersJsonSchema: schema });
}

const knownBytes = new WeakMap<Tool, number>();

/** Counted once: each further server adds to what the others have. */
export function bytesOf(tool: Tool): number {
  const known = knownBytes.get(tool);
  if (known !== undefined) return known;
  const texts = [tool.name, tool.description, JSON.stringify(tool.parameterSchema)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  knownBytes.set(tool, bytes);
  return bytes;
}
