/** Time that passes only when nobody has anything left to do: an hour of ten thousand workers takes minutes. */
export function createVirtualTime() {
  const due = createTimetable();
  let present = 0;
  const at = (time, work) => due.add(Math.max(present, Math.ceil(time)), work);
  return {
    now: () => present,
    at,
    /** A clock as workers have it. */
    clock: {
      now: () => present,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          let isOver = false;
          const end = () => {
            if (isOver) return;
            isOver = true;
            reject(signal.reason);
          };
          signal?.addEventListener('abort', end, { once: true });
          at(present + ms, () => {
            if (isOver) return;
            isOver = true;
            signal?.removeEventListener('abort', end);
            resolve();
          });
        }),
    },
    /** Lets the time pass until the work has ended. */
    async run(work) {
      let isOver = false;
      const ending = work.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver) break;
        const next = due.next();
        if (!next) throw new Error('everybody waits, and for nothing');
        present = next.time;
        for (const each of next.works) each();
      }
      return ending;
    },
  };
}

/** The works of each millisecond: many events share one, so the heap holds the milliseconds alone. */
function createTimetable() {
  const works = new Map();
  const times = createHeap();
  return {
    add(time, work) {
      const list = works.get(time);
      if (list) return void list.push(work);
      works.set(time, [work]);
      times.push(time);
    },
    /** The earliest time, with its works in the order in which they came; undefined where nothing is left. */
    next() {
      const time = times.pop();
      if (time === undefined) return undefined;
      const list = works.get(time);
      works.delete(time);
      return { time, works: list };
    },
  };
}

/** A heap of numbers, of which the least comes first. */
function createHeap() {
  const list = [];
  return {
    push(number) {
      let at = list.push(number) - 1;
      for (; at > 0; at = (at - 1) >> 1) {
        const parent = (at - 1) >> 1;
        if (list[parent] <= number) break;
        list[at] = list[parent];
      }
      list[at] = number;
    },
    pop() {
      const [first] = list;
      const last = list.pop();
      if (list.length === 0) return first;
      let at = 0;
      for (let child = 1; child < list.length; child = 2 * at + 1) {
        if (list[child + 1] < list[child]) child += 1;
        if (list[child] >= last) break;
        list[at] = list[child];
        at = child;
      }
      list[at] = last;
      return first;
    },
  };
}
