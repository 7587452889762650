import { readdirSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
import { isInside } from '../../workspace.js';

/** Names of files that programs make for themselves and nobody else needs. */
const ownNames =
  /^(?:tmp[._a-z0-9-]*|\.?(?:node|v8|tsx?|ts-node|jiti|vite|vitest|jest|npm|npx|pip|uv|go-build|cargo|rust|bazel|gradle|hsperfdata|kotlin|sbt|dotnet|clr|nuget|msbuild|pytest-of|pymp|matplotlib|yarn|corepack|ccache|x\d+|sh-thd|bash)[-_.].*|cc[a-z0-9]{6}\..*)$/i;

const MOST_ENTRIES = 2_000;

/** Remembers the names in a folder that programs see as /tmp; the returned function lists the new ones. */
export function watchTemporaryNames(folder: string): (mountPoints: readonly string[]) => string[] {
  const before = new Set(namesIn(folder));
  return (mountPoints) =>
    namesIn(folder)
      .filter((name) => !before.has(name) && !ownNames.test(name))
      .map((name) => `/tmp/${name}`)
      .filter((path) => !mountPoints.some((mounted) => isInside(mounted, path)));
}

function namesIn(folder: string): string[] {
  return (orNull(() => readdirSync(folder)) ?? []).slice(0, MOST_ENTRIES);
}
