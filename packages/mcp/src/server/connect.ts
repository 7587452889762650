import type { Connect } from '../contract/needs.js';
import { createConnection } from './create-connection.js';
import { createServerLife } from './server-life.js';

/** Starts or reaches a server and shakes hands with it. Throws `McpFailure`, or the abort reason. */
export const connect: Connect = async (config, needs, signal) => {
  const life = createServerLife({
    alias: config.alias,
    clock: needs.clock,
    open: (within) => connection.open(within),
  });
  const connection = createConnection({ config, needs, life });
  try {
    await life.use(async () => undefined, signal);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
};
