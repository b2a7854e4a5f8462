import { bounds, charactersPerStep } from './bounds.ts';

/** A CEL error: a missing attribute or a wrong type. Not an exception: most items lack something, and throwing takes 10 µs. */
export const failed: unique symbol = Symbol('failed');

/** Numbers are doubles, as in JSON. List elements are unchecked: call `admit` on each before use. */
export type Value = number | string | boolean | readonly unknown[];
export type Outcome = Value | typeof failed;

/** State of the evaluation of one item. */
export interface Run {
  attributes: Readonly<Record<string, unknown>>;
  itemId: string | undefined;
  /** Remaining steps. Below zero, the item does not match, whatever the expression returns. */
  steps: number;
  /** Variables of the enclosing comprehensions, outermost first. */
  readonly variables: Outcome[];
}

/** False if too few steps are left: the caller then skips the work. */
export function spend(run: Run, steps: number): boolean {
  run.steps -= steps;
  return run.steps >= 0;
}

export const spendText = (run: Run, length: number) => spend(run, Math.floor(length / charactersPerStep));

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Converts an attribute or list element to a value. Null means missing. */
export function admit(value: unknown): Outcome {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return isList(value) ? value : failed;
}

/** CEL's equality: values of different types are unequal, which is not an error. */
export function equal(run: Run, left: Outcome, right: Outcome): boolean | typeof failed {
  if (left === failed || right === failed) return failed;
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    return spendText(run, left.length) ? left === right : failed;
  }
  if (!isList(left) || !isList(right)) return left === right;
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!spend(run, 1)) return failed;
    const same = equal(run, admit(left[index]), admit(right[index]));
    if (same !== true) return same;
  }
  return true;
}

/** Whether the list contains the value. If it does not, but an element failed, the result fails too. */
export function includesValue(run: Run, list: readonly unknown[], value: Outcome): boolean | typeof failed {
  if (value === failed) return failed;
  let hasFailed = false;
  for (const element of list) {
    if (!spend(run, 1)) return failed;
    const same = equal(run, admit(element), value);
    if (same === true) return true;
    if (same === failed) hasFailed = true;
  }
  return hasFailed ? failed : false;
}

/** Negative, zero or positive; fails for different types and for lists, which have no order. */
export function order(run: Run, left: Outcome, right: Outcome): number | typeof failed {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    // One step per character: they are compared one by one.
    return spend(run, Math.min(left.length, right.length)) ? orderTexts(left, right) : failed;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return failed;
}

/** By code point, as in CEL and PostgreSQL's "C" collation. JavaScript's `<` puts 😀 before U+FF5E. */
export function orderTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const one = left.charCodeAt(index);
    const other = right.charCodeAt(index);
    if (one !== other) return aboveSurrogates(one) - aboveSurrogates(other);
  }
  return left.length - right.length;
}

/** A surrogate is half of a code point beyond U+FFFF, so it sorts above all other units. */
const aboveSurrogates = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

export function add(run: Run, left: Outcome, right: Outcome): Outcome {
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right);
  if (typeof left === 'string' && typeof right === 'string') {
    const length = left.length + right.length;
    return length <= bounds.textLength && spendText(run, length) ? left + right : failed;
  }
  if (!isList(left) || !isList(right)) return failed;
  const length = left.length + right.length;
  return length <= bounds.listLength && spend(run, length) ? [...left, ...right] : failed;
}

/** JSON has no infinity and NaN, so neither do filters: 1 / 0 is an error. */
export const finite = (value: number): Outcome => (Number.isFinite(value) ? value : failed);
