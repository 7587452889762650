/** Time that passes only when nobody has anything left to do: an hour of ten thousand workers takes minutes. */
export function createVirtualTime() {
  const due = createHeap();
  let present = 0;
  const at = (time, work) => due.push({ time: Math.max(present, Math.ceil(time)), work });
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
        const next = due.peek();
        if (!next) throw new Error('everybody waits, and for nothing');
        present = next.time;
        while (due.peek()?.time === present) due.pop().work();
      }
      return ending;
    },
  };
}

function createHeap() {
  const list = [];
  const isBefore = (left, right) =>
    left.time < right.time || (left.time === right.time && left.order < right.order);
  let order = 0;
  const swap = (one, other) => {
    [list[one], list[other]] = [list[other], list[one]];
  };
  return {
    peek: () => list[0],
    push(entry) {
      list.push({ ...entry, order: order++ });
      for (let at = list.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (isBefore(list[parent], list[at])) return;
        swap(parent, at);
        at = parent;
      }
    },
    pop() {
      const first = list[0];
      const last = list.pop();
      if (list.length === 0) return first;
      list[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2])
          if (child < list.length && isBefore(list[child], list[least])) least = child;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}
