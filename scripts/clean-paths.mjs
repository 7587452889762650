/**
 * Stands in for `node:path` in the program. Node reads every path letter by letter, which is slow in code that was loaded
 * a moment ago: a start joined hundreds of paths, and V8 compiled that loop for milliseconds. Ours are nearly always
 * clean, with nothing in them to take away; Node does the others.
 */
import {
  join as joinByNode,
  normalize as normalizeByNode,
  relative as relativeByNode,
  resolve as resolveByNode,
  sep,
} from 'node:path';

export {
  basename,
  delimiter,
  dirname,
  extname,
  isAbsolute,
  parse,
  posix,
  sep,
  toNamespacedPath,
  win32,
} from 'node:path';

/** True for a path without empty names, `.` and `..`, and without a slash at its end. */
function isClean(path) {
  if (sep !== '/') return false;
  const whole = path.startsWith('/') ? `${path}/` : `/${path}/`;
  return !whole.includes('//') && !whole.includes('/./') && !whole.includes('/../');
}

const isText = (value) => typeof value === 'string';

export function join(...parts) {
  if (!parts.every(isText)) return joinByNode(...parts);
  const joined = parts.filter((part) => part !== '').join('/');
  return isClean(joined) ? joined : joinByNode(...parts);
}

export function resolve(...parts) {
  const first = parts.findLastIndex((part) => isText(part) && part.startsWith('/'));
  const used = parts.slice(first);
  if (first === -1 || !used.every(isText)) return resolveByNode(...parts);
  const joined = used.filter((part) => part !== '').join('/');
  return isClean(joined) ? joined : resolveByNode(...parts);
}

export function relative(from, to) {
  const isBelow = isText(from) && isText(to) && from.startsWith('/') && to.startsWith(`${from}/`);
  return isBelow && isClean(to) ? to.slice(from.length + 1) : relativeByNode(from, to);
}

export function normalize(path) {
  return isText(path) && isClean(path) ? path : normalizeByNode(path);
}
