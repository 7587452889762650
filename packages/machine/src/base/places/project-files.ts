/** Files that tell programs what to run in their folder: a folder with one is a project of its own. */
export const projectFile =
  /^(?:package\.json|.*makefile|.*\.mk|\.?justfile|cmakelists\.txt|cargo\.toml|\.cargo|build\.rs|rust-toolchain(?:\.toml)?|go\.(?:mod|work)|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|conftest\.py|pytest\.ini|manage\.py|pipfile|gemfile|rakefile|pom\.xml|\.mvn|(?:build|settings)\.gradle(?:\.kts)?|gradlew|build\.xml|build\.sbt|composer\.json|deno\.jsonc?|mix\.exs|dune-project|stack\.yaml|.*\.cabal|meson\.build|build\.ninja|workspace(?:\.bazel)?|build\.bazel|\.bazelrc|dockerfile|(?:docker-)?compose\.ya?ml|.*\.tf|ansible\.cfg|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pnpm-workspace\.yaml|tsconfig.*\.json|angular\.json|nx\.json|turbo\.json|lerna\.json|\.[\w-]+rc(?:\.\w+)?|[\w.-]+\.config\.[cm]?[jt]s(?:on)?|\.git)$/i;

/** True for files that programs in the same folder take orders from, or load by themselves. */
export function isProjectFile(name: string): boolean {
  return projectFile.test(name) || loadedUnasked.test(name);
}

/** Interpreters and package managers load these; agents take instructions from the last. */
const loadedUnasked =
  /^(?:(?:site|user)customize\.py|.*\.pth|\.pnp\.(?:cjs|loader\.mjs)|(?:docker-)?compose\..*\.ya?ml|vagrantfile.*|local\.properties|(?:gulp|grunt|nox|fab|jake|dodo)file\..*|(?:agents|claude|gemini|qwen)(?:\.local)?\.md)$/i;
