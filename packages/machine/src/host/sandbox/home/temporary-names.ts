import { readdirSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
import { isInside } from '../../workspace.js';

/** Names that programs make for themselves and that mean nothing to anybody else. */
const passing =
  /^(?:tmp[._a-z0-9-]*|\.?(?:node|v8|tsx?|ts-node|jiti|vite|vitest|jest|npm|npx|pip|uv|go-build|cargo|rust|bazel|gradle|hsperfdata|kotlin|sbt|dotnet|clr|nuget|msbuild|pytest-of|pymp|matplotlib|yarn|corepack|ccache|x\d+|sh-thd|bash)[-_.].*|cc[a-z0-9]{6}\..*)$/i;

const MOST_ENTRIES = 2_000;

/** Remembers what stands at the top of a folder that programs see as /tmp, and tells what is new there. */
export function watchTemporaryNames(folder: string): (mountPoints: readonly string[]) => string[] {
  const before = new Set(namesIn(folder));
  return (mountPoints) =>
    namesIn(folder)
      .filter((name) => !before.has(name) && !passing.test(name))
      .map((name) => `/tmp/${name}`)
      .filter((path) => !mountPoints.some((mounted) => isInside(mounted, path)));
}

function namesIn(folder: string): string[] {
  return (orNull(() => readdirSync(folder)) ?? []).slice(0, MOST_ENTRIES);
}
