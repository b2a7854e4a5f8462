import { bounds, charactersPerStep } from './bounds.ts';

/**
 * What a part comes to where CEL speaks of an error: an attribute that is not there, operands that do not fit.
 * A value and not an exception, since most items of a mixed catalogue lack something, and throwing costs 10 µs.
 */
export const failed: unique symbol = Symbol('failed');

/** Numbers are doubles, as in JSON. The elements of a list are as they came: `admit` each before use. */
export type Value = number | string | boolean | readonly unknown[];
export type Outcome = Value | typeof failed;

/** The evaluation of one item. */
export interface Run {
  attributes: Readonly<Record<string, unknown>>;
  itemId: string | undefined;
  /** What may still be spent. Below zero the item does not match, whatever else would come out. */
  steps: number;
  /** The variables of the comprehensions around, outermost first. */
  readonly variables: Outcome[];
}

/** False when it is more than is left: then the caller leaves the work undone. */
export function spend(run: Run, steps: number): boolean {
  run.steps -= steps;
  return run.steps >= 0;
}

export const spendText = (run: Run, length: number) => spend(run, Math.floor(length / charactersPerStep));

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Anything of an item as a value; null is the same as not there. */
export function admit(value: unknown): Outcome {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return isList(value) ? value : failed;
}

/** Equality as CEL has it: values of different types are unequal, which is no error. */
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

/** Whether the list holds the value. An element that is no value is passed over unless nothing else is found. */
export function holds(run: Run, list: readonly unknown[], value: Outcome): boolean | typeof failed {
  if (value === failed) return failed;
  let unsure = false;
  for (const element of list) {
    if (!spend(run, 1)) return failed;
    const same = equal(run, admit(element), value);
    if (same === true) return true;
    if (same === failed) unsure = true;
  }
  return unsure ? failed : false;
}

/** Negative, zero or positive; failed where there is no order: between types, and for lists. */
export function order(run: Run, left: Outcome, right: Outcome): number | typeof failed {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    // A step each: they are compared one by one.
    return spend(run, Math.min(left.length, right.length)) ? orderTexts(left, right) : failed;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return failed;
}

/** By code point, as CEL has it and PostgreSQL's "C". JavaScript's `<` puts 😀 before U+FF5E. */
export function orderTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const one = left.charCodeAt(index);
    const other = right.charCodeAt(index);
    if (one !== other) return aboveSurrogates(one) - aboveSurrogates(other);
  }
  return left.length - right.length;
}

/** Half of a code point beyond U+FFFF is above every whole one. */
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

/** Infinity and "not a number" are no values in JSON, so neither are they here: 1 / 0 is an error. */
export const finite = (value: number): Outcome => (Number.isFinite(value) ? value : failed);
