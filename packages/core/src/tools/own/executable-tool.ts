import type { Workspace } from '@toolwright/machine/host/workspace.js';
import { ProgramTool, type ProgramToolNeeds } from '../programs/program-tool.js';
import type { Manifest } from './manifest.js';
import { accessFor, effectsOfCall } from './manifest-effects.js';

/** A program with a manifest beside it. What it declares to do is what it is let do. */
export class ExecutableTool extends ProgramTool {
  constructor(manifest: Manifest, parts: ProgramToolNeeds & Pick<Workspace, 'resolve'>) {
    const { name, description, parameters, words, timeoutMs, effects } = manifest;
    super(
      {
        name,
        description,
        parameterSchema: parameters,
        words,
        timeoutMs,
        access: effects && accessFor(effects),
        effects: effects && ((params) => effectsOfCall(effects, params, parts.resolve)),
      },
      parts,
    );
  }
}
