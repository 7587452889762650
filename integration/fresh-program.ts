const { ensureBuilt } = await import(new URL('../scripts/setup.mjs', import.meta.url).href);

/** Builds the program where it is not that of the sources: tests of an older one would pass or fail for nothing. */
export default async function buildWhereStale(): Promise<void> {
  await ensureBuilt();
}
