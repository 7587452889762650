import { basename } from 'node:path';

/** What no program loads as code: text, pictures, data, and what tools keep for themselves. */
const INERT =
  /\.(md|mdx|txt|rst|adoc|png|jpe?g|gif|webp|avif|ico|svg|pdf|csv|tsv|log|css|scss|less|html?|map|woff2?|ttf|otf|mp[34]|wav|webm|db|sqlite3?|jsonl|lock)$/i;
const KEPT_APART = /(^|\/)(\.git|__pycache__|\.cache|\.vite|\.pytest_cache|\.mypy_cache|\.ruff_cache)(\/|$)/;

/** Python loads a compiled file in the place of the source of that name. */
export function sourceName(path: string): string {
  return path.replace(/(?<=[^/])(\.(cpython|pypy)[\w-]*|\.abi3)?\.(so|pyd|pyc)$/, '.py');
}

/** Of a file in a folder that counts as a whole, by its name below it. */
export function couldRun(name: string): boolean {
  return !INERT.test(basename(name)) && !KEPT_APART.test(name);
}
