import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCertificates, makeCredentials, makeNkey } from '../../fixtures/nats-secrets.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { tryWith } from '../../fixtures/try-connecting.js';

if (natsMissing !== null)
  console.log(`evidence: certificates, credentials and nkeys of NATS were not tried: ${natsMissing}`);

const folder = mkdtempSync(join(tmpdir(), 'toolwright-nats-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(natsMissing === null)('connecting to NATS', () => {
  it('takes certificates of an authority as they are, and no others', async () => {
    const { authority, certificate, key } = makeCertificates(folder);
    const server = await startNats('--tls', '--tlscert', certificate, '--tlskey', key);
    try {
      const tls = server.url.replace('nats://', 'tls://');
      expect(await tryWith({ servers: tls, tlsAuthority: authority })).toBe('worked on one');
      expect(await tryWith({ servers: server.url, tlsAuthority: authority })).toBe('worked on one');
      expect(await tryWith({ servers: tls })).toMatch(
        /^SettingsError: The certificate of the NATS servers at tls:\S+ is not one that this machine trusts \(.+\)\. Name their authority with --tls-ca\.$/,
      );
      expect(await tryWith({ servers: tls, tlsAuthority: certificate })).toMatch(
        /^SettingsError: The certificate of the NATS servers at tls:\S+ does not fit the authority in /,
      );
      expect(await tryWith({ servers: server.url })).toMatch(
        /^SettingsError: The (certificate of the )?NATS servers at nats:/,
      );
      expect(await tryWith({ servers: tls, tlsAuthority: join(folder, 'none.pem') })).toMatch(
        /^SettingsError: --tls-ca \S+none\.pem can't be read: /,
      );
    } finally {
      await server.stop();
    }
    const plain = await startNats();
    try {
      expect(
        await tryWith({ servers: plain.url.replace('nats://', 'tls://'), tlsAuthority: authority }),
      ).toMatch(/^SettingsError: The NATS servers at tls:\S+ and this program do not agree about TLS: /);
    } finally {
      await plain.stop();
    }
  });

  it('refuses credentials for another machine where nothing is encrypted, unless it is told that this is wanted', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    if (address === undefined)
      return console.log('evidence: there is no network here: plain connections were not tried');
    const { configuration, credentials } = makeCredentials(folder);
    const server = await startNats('-c', configuration, '-a', '0.0.0.0');
    try {
      const servers = server.url.replace('127.0.0.1', address);
      expect(await tryWith({ servers, credentials })).toBe(
        `SettingsError: ${address} is not on this machine, and the connection is not encrypted: everybody on the way could read tasks and results. Use tls:// or --tls-ca, or say --insecure.`,
      );
      expect(await tryWith({ servers, credentials, insecure: true })).toBe('worked on one');
    } finally {
      await server.stop();
    }
  });

  it('takes no user and password in an address, and does not repeat them', async () => {
    const said = await tryWith({ servers: 'nats://me:secret-word@127.0.0.1:4222' });
    expect(said).toMatch(/^SettingsError: Users and passwords are not taken in --engine, /);
    expect(said).not.toContain('secret-word');
  });

  it('takes credentials files as they are, and says which are not accepted', async () => {
    const { configuration, credentials, foreign } = makeCredentials(folder);
    const server = await startNats('-c', configuration);
    const servers = server.url;
    try {
      expect(await tryWith({ servers, credentials })).toBe('worked on one');
      expect(await tryWith({ servers, credentials: foreign })).toBe(
        `SettingsError: The NATS servers at ${servers} do not accept the credentials in ${foreign}.`,
      );
      expect(await tryWith({ servers })).toBe(
        `SettingsError: The NATS servers at ${servers} want credentials: name their file with --creds.`,
      );
      const other = join(folder, 'other.txt');
      writeFileSync(other, 'hello\n');
      expect(await tryWith({ servers, credentials: other })).toBe(
        `SettingsError: --creds ${other} is neither a credentials file of NATS nor the seed of an nkey.`,
      );
    } finally {
      await server.stop();
    }
  });

  it('takes the seed of an nkey', async () => {
    const { configuration, seed } = makeNkey(folder);
    const server = await startNats('-c', configuration);
    try {
      expect(await tryWith({ servers: server.url, credentials: seed })).toBe('worked on one');
    } finally {
      await server.stop();
    }
  });
});
