/** The outermost `.git` on the path: half of a repository is a broken one. */
export function repositoryOf(path: string): string | null {
  const [above] = path.split('/.git/', 1);
  if (above !== path) return `${above}/.git`;
  return path.endsWith('/.git') ? path : null;
}
