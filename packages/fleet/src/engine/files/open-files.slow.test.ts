import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeEngine, LEASE_MS } from '../../fixtures/engine-suite.js';
import { describeProcesses } from '../../fixtures/process-suite.js';
import { describeStates } from '../../fixtures/state-suite.js';
import { describeWorkers } from '../../fixtures/worker-suite.js';
import { openFileEngine } from './open-files.js';

const base = mkdtempSync(join(tmpdir(), 'toolwright-fleet-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const open = (name: string) => openFileEngine(join(base, name), { leaseMs: LEASE_MS });

describeEngine('files', open);
describeWorkers('files', open);
describeStates('files', open);
describeProcesses('files', (name) => ({ place: join(base, name), fleet: name }));
