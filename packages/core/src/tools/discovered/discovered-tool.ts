import { ProgramTool, type ProgramToolNeeds } from '../programs/program-tool.js';
import type { Declaration } from './declarations.js';

/** A tool that a discovery command declared. What it does is unknown, so its calls are asked about. */
export class DiscoveredTool extends ProgramTool {
  constructor(declaration: Declaration, callCommand: readonly string[], parts: ProgramToolNeeds) {
    super({ ...declaration, words: [...callCommand, declaration.name] }, parts);
  }
}
