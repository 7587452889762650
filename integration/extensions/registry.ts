import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { makeTar } from '../../packages/machine/src/base/archives/fixtures/make-archives.js';

/** A registry of npm on this machine, with one package. */
export async function startRegistry(
  manifest: { name: string; version: string; [member: string]: unknown },
  files: Record<string, string>,
): Promise<{ url: string; close(): Promise<void> }> {
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  const archive = gzipSync(
    makeTar(Object.entries(all).map(([path, text]) => ({ path: `package/${path}`, text }))),
  );
  const server = createServer(({ url = '' }, response) => {
    const { port } = server.address() as AddressInfo;
    if (url.endsWith('.tgz')) return void response.end(archive);
    const dist = {
      tarball: `http://127.0.0.1:${port}/${manifest.name}.tgz`,
      integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
