import { formatBytes, plural } from '../../base/amounts.js';
import type { AboutApart } from './about-apart.js';
import type { ApartSize } from './measure.js';

/** Above these the user is reminded; nothing is ever removed for them. */
export interface ApartLimits {
  bytes: number;
  ageMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const GIGABYTE = 1024 ** 3;

const apartLimits: ApartLimits = { bytes: 5 * GIGABYTE, ageMs: 30 * DAY_MS };

/** A session apart as far as the limits care. */
export interface ReviewedLater {
  id: string;
  about: Pick<AboutApart, 'prompt'>;
  ageMs: number;
  size: Pick<ApartSize, 'bytes'>;
}

/** Sentences about sessions apart that nobody came back to, with the commands that review or drop them. */
export function limitWarnings(
  all: readonly ReviewedLater[],
  { bytes, ageMs }: ApartLimits = apartLimits,
): string[] {
  const warnings: string[] = [];
  const used = all.reduce((sum, { size }) => sum + size.bytes, 0);
  if (used > bytes) {
    const largest = all.reduce((most, each) => (each.size.bytes > most.size.bytes ? each : most));
    warnings.push(
      `Sessions apart take up ${formatBytes(used)}, more than ${formatBytes(bytes)}; the largest is ${largest.id}. ${remedy(largest.id)}`,
    );
  }
  const old = all.filter((each) => each.ageMs > ageMs);
  const oldest = old.reduce<ReviewedLater | null>(
    (most, each) => (most && most.ageMs >= each.ageMs ? most : each),
    null,
  );
  if (oldest) {
    const days = plural(Math.floor(ageMs / DAY_MS), 'day');
    const subject = old.length === 1 ? 'A session apart is' : `${old.length} sessions apart are`;
    warnings.push(
      `${subject} older than ${days}; the oldest is ${oldest.id}${named(oldest)}. ${remedy(oldest.id)}`,
    );
  }
  return warnings;
}

function remedy(id: string): string {
  return `To look at it: toolwright apart show ${id}. To remove it: toolwright apart drop ${id}. All are listed by toolwright apart list.`;
}

const LONGEST = 40;

function named({ about }: ReviewedLater): string {
  const prompt = about.prompt.replace(/\s+/g, ' ').trim();
  if (prompt === '') return '';
  return ` ("${prompt.length > LONGEST ? `${prompt.slice(0, LONGEST)}…` : prompt}")`;
}
