import { readFileSync } from 'node:fs';
import { isInside } from '../workspace.js';

/** Mount points inside a folder, the folder itself left out. */
export function mountsBelow(folder: string): string[] {
  return mountPoints().filter((point) => point !== folder && isInside(point, folder));
}

export function isMountPoint(path: string): boolean {
  return mountPoints().includes(path);
}

/** None where the system does not tell. */
function mountPoints(): string[] {
  let table: string;
  try {
    table = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  const points = table.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return [...new Set(points.map(unescapeOctal))];
}

/** Blanks and the like are written as `\040`. */
function unescapeOctal(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
