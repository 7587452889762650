import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEngine, LEASE_MS } from '../../fixtures/engine-suite.js';
import { type NatsServer, natsMissing, startNats } from '../../fixtures/nats-server.js';
import { describeProcesses } from '../../fixtures/process-suite.js';
import { describeStates } from '../../fixtures/state-suite.js';
import { describeWorkers } from '../../fixtures/worker-suite.js';
import { openNatsEngine } from './open-nats.js';

if (natsMissing !== null) console.log(`evidence: the NATS engine was not tried: ${natsMissing}`);

describe.runIf(natsMissing === null)('the NATS engine', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  const open = (name: string) =>
    openNatsEngine({ servers: server.url, fleet: name, times: { leaseMs: LEASE_MS } });
  describeEngine('nats', open);
  describeWorkers('nats', open);
  describeStates('nats', open);
  describeProcesses(
    'nats',
    (name) => ({ place: server.url, fleet: name }),
    async (name) => {
      const { url, restart, stop } = await startNats();
      return { place: url, fleet: name, restart, stop };
    },
  );
});

it('the NATS engine refuses servers on other machines without TLS and credentials, unless it is told that this is wanted', async () => {
  const options = { fleet: 'x', times: { leaseMs: LEASE_MS } };
  await expect(openNatsEngine({ ...options, servers: 'nats://192.0.2.1:4222' })).rejects.toThrow(
    '192.0.2.1 is not on this machine, and neither TLS (tls://, --tls-ca) nor credentials (--creds) were given.',
  );
  await expect(openNatsEngine({ ...options, servers: 'nats://127.0.0.1:1' })).rejects.toThrow(
    'No NATS server could be reached at nats://127.0.0.1:1',
  );
});
