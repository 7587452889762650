import { join } from 'node:path';
import { ensureInstalled, root } from './setup.mjs';

/** Builds the documents into the folder `site`, or into the one that is given. */
ensureInstalled();
const { buildSite } = await import('./site/build-site.mjs');
const [folder = join(root, 'site')] = process.argv.slice(2);
try {
  const { pages, links, files } = buildSite(root, folder);
  process.stdout.write(
    `site: ${pages} pages, ${links} links checked, ${files} pictures and files; open ${join(folder, 'index.html')}\n`,
  );
} catch (error) {
  process.stderr.write(`site: not built.\n${error.message}\n`);
  process.exit(1);
}
