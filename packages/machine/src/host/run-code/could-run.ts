import { basename } from 'node:path';

/** Endings of files that no program loads as code: text, pictures, data. */
const INERT =
  /\.(md|mdx|txt|rst|adoc|png|jpe?g|gif|webp|avif|ico|svg|pdf|csv|tsv|log|css|scss|less|html?|map|woff2?|ttf|otf|mp[34]|wav|webm|db|sqlite3?|jsonl|lock)$/i;
const KEPT_APART = /(^|\/)(\.git|__pycache__|\.cache|\.vite|\.pytest_cache|\.mypy_cache|\.ruff_cache)(\/|$)/;

/** The source that a compiled Python file replaces. */
export function sourceName(path: string): string {
  return path.replace(/(?<=[^/])(\.(cpython|pypy)[\w-]*|\.abi3)?\.(so|pyd|pyc)$/, '.py');
}

/** True for a file that could run, by its name below a folder that counts as a whole. */
export function couldRun(name: string): boolean {
  return !INERT.test(basename(name)) && !KEPT_APART.test(name);
}
