/**
 * The part of the engine that a script finds besides the language. It runs inside, so it holds nothing of ours but the functions it is
 * given, which take and give text and numbers alone.
 */
export const prelude = `(function (send, print, finish, names) {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const open = new Map();
  let last = 0;

  function textOf(value) {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof Error) return describe(value);
      const json = stringify(value);
      return typeof json === 'string' ? json : String(value);
    } catch {
      return shown(value);
    }
  }
  function shown(value) {
    try {
      return String(value);
    } catch {
      return '(a value that can not be shown)';
    }
  }
  function describe(error) {
    try {
      // The engine throws null where it has no memory left for an error.
      if (error === null) return 'It threw null, as it does when its memory is used up.';
      if (!(error instanceof Error)) return 'It threw ' + textOf(error);
      const lines = String(error.stack ?? '').split('\\n').filter((line) => line.includes('script.js'));
      return [String(error.name) + ': ' + String(error.message), ...lines].join('\\n');
    } catch {
      return 'It threw an error that can not be shown.';
    }
  }
  function call(tool, params) {
    const failure = new Error();
    return new Promise((resolve, reject) => {
      const json = stringify(params ?? {});
      if (typeof json !== 'string' || json[0] !== '{') throw new TypeError('tools.' + tool + ' takes one object of parameters.');
      const id = ++last;
      const refusal = send(id, tool, json);
      if (refusal !== undefined) throw new RangeError(refusal);
      open.set(id, { resolve, reject, failure });
    });
  }
  function settle(id, isOk, json) {
    const { resolve, reject, failure } = open.get(id);
    open.delete(id);
    const value = parse(json);
    if (isOk) return resolve(value);
    failure.name = 'ToolError';
    failure.message = value.message;
    failure.code = value.code;
    reject(failure);
  }
  function start(body) {
    const ended = (isOk) => (value) => finish(isOk, isOk ? (value === undefined ? '' : textOf(value)) : describe(value));
    apply(then, body(), [ended(true), ended(false)]);
  }

  const tools = {};
  for (const name of parse(names)) tools[name] = (params) => call(name, params);
  const given = {
    tools: new Proxy(Object.freeze(tools), {
      get: (known, name) =>
        typeof name !== 'string' || name === 'then' || name in known ? known[name] : (params) => call(name, params),
    }),
    print: (...values) => print(values.map(textOf).join(' ')),
  };
  given.console = Object.freeze({ log: given.print, info: given.print, warn: given.print, error: given.print });
  for (const name of Object.keys(given)) Object.defineProperty(globalThis, name, { value: given[name], writable: true, configurable: true });
  return { settle, start };
})`;
