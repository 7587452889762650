import { type PathGuard, warningAbout } from '@toolwright/machine/host/places/path-guard.js';
import { flaggedFirst, warningsOf } from '../tools/shell/path-warnings.js';
import type { ConfirmationDetails } from '../tools/tools.js';

/** Adds to an edit the warnings about files that are protected or run later, and puts those files first; a command brings its own. */
export function withWarnings(
  details: ConfirmationDetails,
  { guard, show }: { guard: Pick<PathGuard, 'protectedReason'>; show(path: string): string },
): ConfirmationDetails {
  if (details.kind !== 'edit') return details;
  const paths = details.effects.flatMap((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' ? [effect.path] : [],
  );
  const flags = [...new Set(paths)].flatMap((path) => {
    const why = warningAbout(path, guard);
    return why === null ? [] : [{ path, why }];
  });
  if (flags.length === 0) return details;
  const diff = { ...details.diff, files: flaggedFirst(details.diff.files, flags, show) };
  return { ...details, diff, warnings: [...(details.warnings ?? []), ...warningsOf(flags, show)] };
}
