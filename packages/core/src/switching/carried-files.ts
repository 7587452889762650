import { plural } from '@toolwright/machine/base/amounts.js';
import { agentNames, type CarriedFile, type HomeFindings } from './findings.js';

/** Says why a file can't come over; null for one that can. */
export type WhyNot = (file: CarriedFile) => Promise<string | null>;

/** Leaves the files that can't come over, and those that only they import: nothing would read them. */
export async function leaveFiles(found: HomeFindings, whyNot: WhyNot): Promise<void> {
  const reasons = new Map<CarriedFile, string>();
  for (const file of found.files) {
    const why = await whyNot(file);
    if (why !== null) reasons.set(file, why);
  }
  if (reasons.size === 0) return;
  const coming = found.files.filter((file) => !reasons.has(file));
  const read = reachedFrom(
    coming.filter(({ isImported }) => !isImported),
    coming,
  );
  const unread = coming.filter((file) => !read.has(file));
  for (const [file, why] of reasons) {
    const further = reachedFrom([file], unread).size - 1;
    const imports = further === 0 ? '' : ` and ${plural(further, 'file')} that it imports`;
    found.leave(`${file.path} of ${agentNames[found.agent]}${imports}`, why);
  }
  found.files.splice(0, found.files.length, ...read);
}

/** The files, and those of `among` that they import, by any number of steps. */
function reachedFrom(files: readonly CarriedFile[], among: readonly CarriedFile[]): Set<CarriedFile> {
  const reached = new Set(files);
  for (const { imports = [] } of reached)
    for (const file of among) if (imports.includes(file.path)) reached.add(file);
  return reached;
}
