const WAIT_MS = 1_000;
const FINISHED = ['done', 'failed', 'poison', 'cancelled'];

// Of a fleet's three streams each has a leader of its own, and with several nodes they lie apart. Events pass through any node.
const streamOf = { get: 0, put: 0, object: 1, claim: 2, done: 2, renew: 2, publish: 2 };
const REPLICAS = 3;
const isWrite = new Set(['put', 'object', 'claim', 'done']);

/**
 * An engine in virtual time. Every request goes over a network to the node that leads its stream, and each node works on one
 * request after the other, as long as was measured: `serviceMs` by kind of request, `networkMs` there and back. With several nodes
 * three write what is written, and the answer comes once two have it; of more than three each stream has others.
 */
export function createSimulatedEngine(time, { tasks, leaseMs, networkMs, serviceMs, nodes = 1 }) {
  const queue = createQueue(time, tasks);
  const rows = new Map();
  const finished = new Uint8Array(tasks.length);
  const listeners = new Set();
  const figures = {
    requests: 0,
    waitedMs: 0,
    longestMs: 0,
    busyMs: 0,
    results: 0,
    undone: 0,
    doubled: 0,
    claims: 0,
  };
  const apart = Math.max(1, Math.floor(nodes / REPLICAS));
  const freeAt = new Array(nodes).fill(0);
  const busyMs = new Array(nodes).fill(0);

  /** Tells when a node has worked on a request that arrives there. */
  function workOn(node, arrives, takes) {
    freeAt[node] = Math.max(freeAt[node], arrives) + takes;
    busyMs[node] += takes;
    figures.busyMs = Math.max(figures.busyMs, busyMs[node]);
    return freeAt[node];
  }

  /** Tells when the servers have the request. Copies of what is written are worked on in the order in which they arrive at the others. */
  function whenHeld(kind, arrives, tell) {
    const leader = (streamOf[kind] * apart) % nodes;
    const takes = serviceMs[kind];
    const end = workOn(leader, arrives, takes);
    if (nodes === 1 || !isWrite.has(kind)) return tell(end);
    const copied = end + networkMs / 2;
    time.at(copied, () => {
      let earliest = Number.POSITIVE_INFINITY;
      for (let further = 1; further < REPLICAS; further++)
        earliest = Math.min(earliest, workOn((leader + further) % nodes, copied, takes));
      tell(earliest + networkMs / 2);
    });
  }

  /** The answer of the servers to one request. */
  function request(kind, work) {
    const begun = time.now();
    return new Promise((resolve) =>
      whenHeld(kind, begun + networkMs / 2, (held) => {
        const waited = held + networkMs / 2 - begun;
        figures.requests += 1;
        figures.waitedMs += waited;
        figures.longestMs = Math.max(figures.longestMs, waited);
        time.at(begun + waited, () => resolve(work()));
      }),
    );
  }

  function note(id, record) {
    const index = queue.indexOf(id);
    if (!FINISHED.includes(record.state)) return;
    figures.results += 1;
    if (record.state !== 'done') figures.undone += 1;
    if (finished[index]) figures.doubled += 1;
    finished[index] = 1;
    rows.delete(id);
  }

  function rowOf(table, key) {
    const index = table === 'tasks' ? queue.indexOf(key) : -1;
    if (index >= 0 && finished[index])
      return { value: { v: 1, task: tasks.at(index), state: 'done' }, revision: 0 };
    return rows.get(table === 'tasks' ? key : `${table} ${key}`) ?? null;
  }

  const tableNamed = (table) => ({
    get: (key) => request('get', () => rowOf(table, key)),
    put: (key, value, revision) =>
      request('put', () => {
        if ((rowOf(table, key)?.revision ?? null) !== revision) return null;
        const next = (revision ?? 0) + 1;
        rows.set(table === 'tasks' ? key : `${table} ${key}`, { value, revision: next });
        if (table === 'tasks') note(key, value);
        return next;
      }),
    remove: (key) => request('put', () => rows.delete(`${table} ${key}`)),
    // Every record has its entry here.
    entries: async function* () {},
  });
  const names = ['tasks', 'limits', 'fleet', 'workers'];
  const tables = Object.fromEntries(names.map((name) => [name, tableNamed(name)]));

  function claimOf(index) {
    const delivery = queue.deliver(index, leaseMs);
    return {
      task: tasks.at(index),
      renew: () => request('renew', () => queue.renew(delivery, leaseMs)),
      done: () => request('done', () => queue.done(delivery)),
      back: (delayMs) => request('done', () => queue.back(delivery, delayMs)),
    };
  }

  return {
    figures,
    engine: {
      now: time.now,
      table: (name) => tables[name],
      objects: {
        put: () => request('object', () => undefined),
        get: () => request('get', () => null),
        // A look at what is there, and a small write.
        remove: () => request('get', () => undefined).then(() => request('put', () => undefined)),
      },
      claim: (signal) =>
        request('claim', () => undefined).then(async () => {
          figures.claims += 1;
          const index = await queue.next(WAIT_MS, signal);
          return index === null ? null : claimOf(index);
        }),
      unfinished: () => request('get', () => queue.left()),
      publish(event) {
        void request('publish', () => {
          if (!event.type.startsWith('task-')) for (const listener of listeners) listener(event);
        });
      },
      listen: (onEvent, signal) =>
        new Promise((resolve) => {
          listeners.add(onEvent);
          signal.addEventListener('abort', () => resolve(void listeners.delete(onEvent)), { once: true });
        }),
    },
  };
}

/** Tasks in order, those that come again, and whoever waits for one. */
function createQueue(time, tasks) {
  const again = [];
  const waiting = [];
  let fresh = 0;
  let left = tasks.length;
  const give = (index) => {
    for (let waiter = waiting.shift(); waiter; waiter = waiting.shift()) if (waiter(index)) return;
    again.push(index);
  };
  const bring = (delivery) => {
    if (delivery.isOver) return;
    delivery.isOver = true;
    give(delivery.index);
  };
  const watch = (delivery) =>
    time.at(delivery.until, () => {
      if (delivery.isOver) return;
      if (time.now() >= delivery.until) bring(delivery);
      else watch(delivery);
    });
  return {
    indexOf: (id) => Number(id.slice(1)),
    left: () => left,
    next(waitMs, signal) {
      if (again.length > 0) return Promise.resolve(again.shift());
      if (fresh < tasks.length) return Promise.resolve(fresh++);
      if (signal.aborted) return Promise.resolve(null);
      return new Promise((resolve) => {
        let isOver = false;
        const end = () => void take(null);
        const take = (index) => {
          if (isOver) return false;
          isOver = true;
          signal.removeEventListener('abort', end);
          resolve(index);
          return true;
        };
        waiting.push(take);
        signal.addEventListener('abort', end, { once: true });
        time.at(time.now() + waitMs, end);
      });
    },
    deliver(index, leaseMs) {
      const delivery = { index, until: time.now() + leaseMs, isOver: false };
      watch(delivery);
      return delivery;
    },
    renew(delivery, leaseMs) {
      delivery.until = time.now() + leaseMs;
      return !delivery.isOver;
    },
    done(delivery) {
      if (delivery.isOver) return;
      delivery.isOver = true;
      left -= 1;
    },
    back(delivery, delayMs) {
      if (delivery.isOver) return;
      delivery.isOver = true;
      time.at(time.now() + delayMs, () => give(delivery.index));
    },
  };
}
