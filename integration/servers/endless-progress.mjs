// Reports progress for ever and never comes to an end; stops when it is told to.
import { objectSchema, send, serve } from './wire.mjs';

let timer;
serve('endless-progress', {
  'tools/list': () => ({ tools: [{ name: 'work', description: 'Works.', inputSchema: objectSchema() }] }),
  'tools/call': ({ _meta }) => {
    let progress = 0;
    timer = setInterval(() => {
      const params = {
        progressToken: _meta.progressToken,
        progress: ++progress,
        message: `step ${progress}`,
      };
      send({ method: 'notifications/progress', params });
    }, 20);
  },
  'notifications/cancelled': ({ reason }) => {
    clearInterval(timer);
    process.stderr.write(`endless-progress: told to stop: ${reason}\n`);
  },
});
