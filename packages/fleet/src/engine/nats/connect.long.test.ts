import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../fixtures/nats-secrets.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { tryWith } from '../../fixtures/try-connecting.js';

if (natsMissing !== null) console.log(`evidence: certificates of clients were not tried: ${natsMissing}`);

const folder = mkdtempSync(join(tmpdir(), 'toolwright-nats-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(natsMissing === null)('a NATS server that asks who its clients are', () => {
  it('takes the certificate of a client where servers want one, and says so where it is missing', async () => {
    const { authority, certificate, key, client } = makeCertificates(folder);
    const words = [
      '--tls',
      '--tlsverify',
      '--tlscacert',
      authority,
      '--tlscert',
      certificate,
      '--tlskey',
      key,
    ];
    const server = await startNats(...words);
    const tls = { servers: server.url.replace('nats://', 'tls://'), tlsAuthority: authority };
    const own = { tlsCertificate: client.certificate, tlsKey: client.key };
    try {
      expect(await tryWith({ ...tls, ...own })).toBe('worked on one');
      expect(await tryWith(tls)).toBe(
        `SettingsError: No NATS server could be reached at ${tls.servers}: timeout. Where they want a certificate of this machine, name it with --tls-cert and --tls-key.`,
      );
      expect(await tryWith({ ...tls, tlsCertificate: client.certificate })).toBe(
        'SettingsError: --tls-cert and --tls-key go together: a certificate and its key.',
      );
      expect(await tryWith({ ...tls, ...own, tlsKey: join(folder, 'none.key') })).toMatch(
        /^SettingsError: --tls-key \S+none\.key can't be read: /,
      );
      expect(await tryWith({ ...tls, ...own, tlsKey: key })).toMatch(
        /^SettingsError: The certificate in \S+client\.pem can't be used with the key in \S+server\.key: /,
      );
    } finally {
      await server.stop();
    }
  });
});
