import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';

/** Sentences on what is wrong with a value; none when it is right. The place names the value: `rules[0].verdict`. */
export type OptionCheck = (value: unknown, place: string) => readonly string[];

/** A check for each member: a table that lacks one does not compile. */
export type ChecksOf<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

const FINE: readonly string[] = [];

/** Throws one error that names every mistake in the options of a function. */
export function checkOptions(caller: string, options: unknown, check: OptionCheck): void {
  const problems = check(options, '');
  if (problems.length === 0) return;
  const separator = problems.length === 1 ? ' ' : '\n  ';
  throw new SettingsError(`${caller}:${separator}${problems.join(separator)}`);
}

export const text = kind('a string', (value) => typeof value === 'string');
export const namedText = kind(
  'a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
);
export const secretText = kind('a string', (value) => typeof value === 'string', typeOf);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callback = kind('a function', (value) => typeof value === 'function');
export const count = kind('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const between = (least: number, most: number): OptionCheck =>
  kind(`a number from ${least} to ${most}`, (value) => Number(value) >= least && Number(value) <= most);
export const anyObject = kind('an object', isJsonObject);

/** An object whose values are all of a kind, under any names. */
export function recordOf(item: OptionCheck): OptionCheck {
  return (value, place) =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, each]) =>
          each === undefined ? FINE : item(each, inside(place, name)),
        )
      : anyObject(value, place);
}

/** Lists of secrets are described by their type alone. */
export function listOf(item: OptionCheck, describe = describeValue): OptionCheck {
  return (value, place) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => item(entry, `${place}[${index}]`))
      : [unexpected(place, 'a list', describe(value))];
}

export function oneOf(values: readonly string[]): OptionCheck {
  return (value, place) => {
    if ((values as readonly unknown[]).includes(value)) return FINE;
    const expected = values.map((each) => JSON.stringify(each)).join(', ');
    const near = typeof value === 'string' ? nearest(value, values, 1) : [];
    const hint = didYouMean(near.map((each) => JSON.stringify(each)));
    return [`${unexpected(place, `one of ${expected}`, describeValue(value))} ${hint}`.trimEnd()];
  };
}

/** An object with these members and no others; those that are not required may be undefined. */
export function objectOf<Options extends object>(
  checks: ChecksOf<Options>,
  required: readonly (keyof Options & string)[] = [],
): OptionCheck {
  const table: Readonly<Record<string, OptionCheck>> = checks;
  return (value, place) => {
    if (!isJsonObject(value)) return [unexpected(place, objectWith(required), describeValue(value))];
    const missing = required.filter((name) => value[name] === undefined);
    return [
      ...missing.map((name) => `${inside(place, name)} is missing.`),
      ...Object.keys(value).flatMap((name) => {
        if (value[name] === undefined) return FINE;
        if (!Object.hasOwn(table, name)) return [unknownOption(inside(place, name), name, table)];
        return table[name]!(value[name], inside(place, name));
      }),
    ];
  };
}

function kind(
  expected: string,
  fits: (value: unknown) => boolean,
  describe: (value: unknown) => string = describeValue,
): OptionCheck {
  return (value, place) => (fits(value) ? FINE : [unexpected(place, expected, describe(value))]);
}

function objectWith(required: readonly string[]): string {
  return required.length === 0 ? 'an object' : `an object with ${required.join(', ')}`;
}

function inside(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

function unknownOption(place: string, name: string, table: Readonly<Record<string, OptionCheck>>): string {
  const prefix = place.slice(0, place.length - name.length);
  const known = Object.keys(table);
  const near = [nearest(name, known, 1), sharingWords(name, known)].find(({ length }) => length > 0) ?? [];
  const hint = didYouMean(near.map((each) => `${prefix}${each}`));
  return `unknown option ${place}. ${hint || `Known here: ${Object.keys(table).join(', ')}.`}`;
}

/** Names with the most words of this one: `approvalMode` for `permissionMode`. */
function sharingWords(name: string, known: readonly string[]): string[] {
  const words = wordsOf(name);
  const shared = (each: string): number => wordsOf(each).filter((word) => words.includes(word)).length;
  const most = Math.max(...known.map(shared));
  return most === 0 ? [] : known.filter((each) => shared(each) === most).slice(0, 2);
}

function wordsOf(name: string): string[] {
  const words = name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
  return words.filter((word) => word.length > 2);
}

function unexpected(place: string, expected: string, given: string): string {
  return `${place === '' ? 'the options' : place}: expected ${expected}, got ${given}.`;
}

const MAX_SHOWN = 80;

function describeValue(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return typeOf(value);
  const shown = JSON.stringify(value);
  return `${typeof value} ${shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}…`}`;
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
