import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { taskNamed } from '../../fixtures/engine-suite.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { forgetTasks, removeOrphans } from '../../schedule/forget.js';
import { newRecord, objectName } from '../../schedule/record.js';
import { openNatsEngine } from './open-nats.js';

it.runIf(natsMissing === null)(
  'tasks that were forgotten leave nothing behind in the buckets of the servers, and others keep what they have',
  async () => {
    const server = await startNats();
    const connection = await connect({ servers: server.url });
    const engine = await openNatsEngine({ servers: server.url, fleet: 'gone' });
    onTestFinished(async () => {
      await engine.close();
      await connection.close();
      await server.stop();
    });
    const snapshot = { token: 't', session: 's', base: { folder: '/' } };
    for (const id of ['old', 'new']) {
      const record = { ...newRecord(taskNamed(id)), state: 'done', snapshot };
      await engine.table('tasks').put(id, record, null);
      await engine.objects.put(objectName({ id, token: 't' }, 'journal'), Buffer.from(id));
    }
    expect(await forgetTasks(engine, ({ task }) => task.id === 'old')).toBe(1);
    expect(await removeOrphans(engine)).toBe(0);
    const { streams } = await jetstreamManager(connection);
    const kept: Record<string, number> = {};
    for (const name of ['tasks', 'objects', 'fleet'])
      kept[name] = (await streams.info(`KV_TW_gone_${name}`)).state.messages;
    expect(kept).toEqual({ tasks: 1, objects: 1, fleet: 0 });
    expect(Buffer.from((await engine.objects.get('new/t/journal'))!).toString()).toBe('new');
    expect(await engine.table('tasks').put('old', 'anew', null)).not.toBeNull();
  },
);
